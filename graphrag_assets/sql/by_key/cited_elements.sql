-- The elements that reports cite; those of a cited child report where they cite one.
WITH cites AS MATERIALIZED (
    SELECT community_id, unnest(flatten([finding.citations FOR finding IN findings])) AS ref_id
    FROM community_reports
    WHERE community_id IN (SELECT unnest($keys::VARCHAR[]))),
below AS (
    SELECT community_id, unnest(flatten([finding.citations FOR finding IN findings])) AS ref_id
    FROM community_reports
    WHERE community_id IN (SELECT ref_id FROM cites))
SELECT DISTINCT c.community_id AS id, coalesce(b.ref_id, c.ref_id) AS ref_id
FROM cites c LEFT JOIN below b ON b.community_id = c.ref_id
ORDER BY ALL
