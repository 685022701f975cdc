-- on: entity_embeddings
-- blocking: yes
-- Vectors are finite, and no more of entities lack one than extraction.max_failed allows.
WITH lacking AS (
    SELECT id AS id FROM entities
    WHERE id NOT IN (SELECT id FROM entity_embeddings)
)
SELECT id, 'no vector' AS problem FROM lacking
WHERE (SELECT count(*) FROM lacking) > $max_failed * (SELECT count(*) FROM entities)
UNION ALL
SELECT id, 'not finite' FROM entity_embeddings
WHERE NOT isfinite(array_inner_product(vector, vector))
