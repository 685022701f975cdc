-- Which of these terms each report holds.
SELECT r.community_id AS id, term
FROM community_reports r JOIN (SELECT unnest($terms::VARCHAR[]) AS term)
  ON contains(lower(r.full_content), term)
WHERE r.community_id IN (SELECT unnest($ids::VARCHAR[]))
ORDER BY ALL
