-- What each report rests on.
SELECT DISTINCT community_id, kind, ref_id
FROM report_evidence
WHERE community_id IN (SELECT unnest($ids::VARCHAR[]))
ORDER BY ALL
