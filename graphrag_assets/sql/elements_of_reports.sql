-- What each report rests on, of all that begins with one of these digits.
SELECT DISTINCT community_id, kind, ref_id
FROM report_evidence
WHERE community_id IN (SELECT unnest($ids::VARCHAR[]))
  AND left(ref_id, 8) IN (SELECT unnest($digits::VARCHAR[]))
ORDER BY ALL
