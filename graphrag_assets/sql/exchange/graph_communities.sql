-- The community of each entity at each level.
SELECT level, entity_id AS id, community_id FROM community_levels ORDER BY level, id
