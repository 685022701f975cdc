-- A document with a part of its text.
SELECT
    id, path, record, title, n_tokens, length(text) AS n_chars, metadata, pages,
    substring(text, $start + 1, $length) AS text
FROM documents
WHERE id = $id OR path = $id
ORDER BY record NULLS FIRST, id
LIMIT 1
