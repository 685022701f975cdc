-- Text units as they stand in a prompt: title and path, then the text.
SELECT u.id, d.title || ' · ' || d.path || chr(10) || u.text AS text, u.n_tokens AS unit_tokens
FROM text_units u JOIN documents d ON d.id = u.document_id
WHERE u.id IN (SELECT unnest($ids::VARCHAR[]))
