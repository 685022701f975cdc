-- on: report_embeddings
-- blocking: yes
-- Vectors are finite, and no more of community_reports lack one than extraction.max_failed allows.
WITH lacking AS (
    SELECT community_id AS id FROM community_reports
    WHERE community_id NOT IN (SELECT id FROM report_embeddings) AND full_content <> ''
)
SELECT id, 'no vector' AS problem FROM lacking
WHERE (SELECT count(*) FROM lacking) > $max_failed * (SELECT count(*) FROM community_reports)
UNION ALL
SELECT id, 'not finite' FROM report_embeddings
WHERE NOT isfinite(array_inner_product(vector, vector))
