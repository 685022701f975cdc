-- The communities that each entity lies in, the coarsest first.
SELECT m.entity_id, c.level, m.community_id
FROM community_members m JOIN communities c ON c.id = m.community_id
WHERE m.entity_id IN (SELECT unnest($keys::VARCHAR[]))
ORDER BY m.entity_id, c.level
