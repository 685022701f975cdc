-- on: report_embeddings
-- blocking: yes
-- Every written report has a finite vector of one dimension.
SELECT community_id AS id, 'no vector' AS problem FROM community_reports
WHERE full_content <> '' AND community_id NOT IN (SELECT id FROM report_embeddings)
UNION ALL
SELECT id, 'not finite' FROM report_embeddings
WHERE NOT isfinite(array_inner_product(vector, vector))
