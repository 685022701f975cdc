-- The entities that reports rest on.
SELECT DISTINCT ref_id FROM report_evidence
WHERE community_id IN (SELECT unnest($ids::VARCHAR[])) AND kind = 'entity'
ORDER BY ALL
