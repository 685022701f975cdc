-- on: text_unit_embeddings
-- blocking: yes
-- Every row of text_units has a finite vector of one dimension.
SELECT id AS id, 'no vector' AS problem FROM text_units
WHERE id NOT IN (SELECT id FROM text_unit_embeddings)
UNION ALL
SELECT id, 'not finite' FROM text_unit_embeddings
WHERE NOT isfinite(array_inner_product(vector, vector))
