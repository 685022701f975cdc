-- The elements that reports cite; those of a cited child report where they cite one.
WITH cites AS (
    SELECT community_id, unnest(finding.citations) AS ref_id
    FROM (SELECT community_id, unnest(findings) AS finding FROM community_reports))
SELECT DISTINCT c.community_id AS id, coalesce(child.ref_id, c.ref_id) AS ref_id
FROM cites c LEFT JOIN cites child ON child.community_id = c.ref_id
WHERE c.community_id IN (SELECT unnest($ids::VARCHAR[]))
ORDER BY ALL
