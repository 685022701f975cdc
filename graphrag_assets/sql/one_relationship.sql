-- A relationship with the titles of its ends.
SELECT r.*, s.title AS source, t.title AS target
FROM relationships r
JOIN entities s ON s.id = r.source_id
JOIN entities t ON t.id = r.target_id
WHERE r.id = $id
