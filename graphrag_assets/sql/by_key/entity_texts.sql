-- Entities as they stand in a prompt.
SELECT id, title || ' (' || type || '): ' || description AS text
FROM entities
WHERE id IN (SELECT unnest($keys::VARCHAR[]))
