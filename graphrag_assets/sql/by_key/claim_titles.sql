-- What claims say.
SELECT id, description FROM claims WHERE id IN (SELECT unnest($keys::VARCHAR[]))
