-- on: document_embeddings
-- blocking: yes
-- Every row of documents has a finite vector of one dimension.
SELECT id AS id, 'no vector' AS problem FROM documents
WHERE id NOT IN (SELECT id FROM document_embeddings)
UNION ALL
SELECT id, 'not finite' FROM document_embeddings
WHERE NOT isfinite(array_inner_product(vector, vector))
