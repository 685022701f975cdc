-- on: entity_embeddings
-- blocking: yes
-- Every row of entities has a finite vector of one dimension.
SELECT id AS id, 'no vector' AS problem FROM entities
WHERE id NOT IN (SELECT id FROM entity_embeddings)
UNION ALL
SELECT id, 'not finite' FROM entity_embeddings
WHERE NOT isfinite(array_inner_product(vector, vector))
