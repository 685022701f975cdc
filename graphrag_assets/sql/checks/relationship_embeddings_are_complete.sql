-- on: relationship_embeddings
-- blocking: yes
-- Vectors are finite, and no more of relationships lack one than extraction.max_failed allows.
WITH lacking AS (
    SELECT id AS id FROM relationships
    WHERE id NOT IN (SELECT id FROM relationship_embeddings)
)
SELECT id, 'no vector' AS problem FROM lacking
WHERE (SELECT count(*) FROM lacking) > $max_failed * (SELECT count(*) FROM relationships)
UNION ALL
SELECT id, 'not finite' FROM relationship_embeddings
WHERE NOT isfinite(array_inner_product(vector, vector))
