-- Text units as they stand in a prompt: title and path, then the text.
WITH units AS MATERIALIZED (
    SELECT id, document_id, text, n_tokens FROM text_units
    WHERE id IN (SELECT unnest($ids::VARCHAR[]))),
places AS MATERIALIZED (
    SELECT id, title, path FROM documents WHERE id IN (SELECT document_id FROM units))
SELECT u.id, p.title || ' · ' || p.path || chr(10) || u.text AS text, u.n_tokens AS unit_tokens
FROM units u JOIN places p ON p.id = u.document_id
