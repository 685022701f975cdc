-- The communities that an entity is in, from the coarsest.
SELECT c.level, c.id, coalesce(r.title, '') AS title
FROM community_members m
JOIN communities c ON c.id = m.community_id
LEFT JOIN community_reports r ON r.community_id = c.id
WHERE m.entity_id = $id
ORDER BY c.level
