-- on: text_unit_embeddings
-- blocking: yes
-- Vectors are finite, and no more of text_units lack one than extraction.max_failed allows.
WITH lacking AS (
    SELECT id AS id FROM text_units
    WHERE id NOT IN (SELECT id FROM text_unit_embeddings)
)
SELECT id, 'no vector' AS problem FROM lacking
WHERE (SELECT count(*) FROM lacking) > $max_failed * (SELECT count(*) FROM text_units)
UNION ALL
SELECT id, 'not finite' FROM text_unit_embeddings
WHERE NOT isfinite(array_inner_product(vector, vector))
