-- The communities whose entities these text units mention, level by level.
SELECT DISTINCT m.text_unit_id AS unit, c.id, c.level
FROM entity_mentions m
JOIN community_members cm USING (entity_id)
JOIN communities c ON c.id = cm.community_id
WHERE m.text_unit_id IN (SELECT unnest($ids::VARCHAR[]))
ORDER BY ALL
