-- Relationships as they stand in a prompt.
SELECT r.id, s.title || ' — ' || t.title || ': ' || r.description AS text
FROM relationships r JOIN entities s ON s.id = r.source_id JOIN entities t ON t.id = r.target_id
WHERE r.id IN (SELECT unnest($ids::VARCHAR[]))
