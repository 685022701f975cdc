-- What elements are called.
SELECT id, title FROM entities WHERE id IN (SELECT unnest($ids::VARCHAR[]))
UNION ALL
SELECT r.id, s.title || ' — ' || t.title
FROM relationships r JOIN entities s ON s.id = r.source_id JOIN entities t ON t.id = r.target_id
WHERE r.id IN (SELECT unnest($ids::VARCHAR[]))
UNION ALL
SELECT id, description FROM claims WHERE id IN (SELECT unnest($ids::VARCHAR[]))
