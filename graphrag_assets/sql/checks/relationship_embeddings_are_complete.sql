-- on: relationship_embeddings
-- blocking: yes
-- Every row of relationships has a finite vector of one dimension.
SELECT id AS id, 'no vector' AS problem FROM relationships
WHERE id NOT IN (SELECT id FROM relationship_embeddings)
UNION ALL
SELECT id, 'not finite' FROM relationship_embeddings
WHERE NOT isfinite(array_inner_product(vector, vector))
