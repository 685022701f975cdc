-- on: document_embeddings
-- blocking: yes
-- Vectors are finite, and no more of documents lack one than extraction.max_failed allows.
WITH lacking AS (
    SELECT id AS id FROM documents
    WHERE id NOT IN (SELECT id FROM document_embeddings)
)
SELECT id, 'no vector' AS problem FROM lacking
WHERE (SELECT count(*) FROM lacking) > $max_failed * (SELECT count(*) FROM documents)
UNION ALL
SELECT id, 'not finite' FROM document_embeddings
WHERE NOT isfinite(array_inner_product(vector, vector))
