-- What each report rests on, of all that begins with the digits of something it cites.
WITH cites AS (
    SELECT DISTINCT community_id, unnest(regexp_extract_all(full_content, '[ERCPT]([0-9a-f]{8})', 1)) AS digits
    FROM community_reports
    WHERE community_id IN (SELECT unnest($keys::VARCHAR[])))
SELECT DISTINCT e.community_id, e.kind, e.ref_id
FROM report_evidence e
JOIN cites c ON c.community_id = e.community_id AND c.digits = left(e.ref_id, 8)
WHERE e.community_id IN (SELECT unnest($keys::VARCHAR[]))
ORDER BY ALL
