-- What entities are called.
SELECT id, title FROM entities WHERE id IN (SELECT unnest($keys::VARCHAR[]))
