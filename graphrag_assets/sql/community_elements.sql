-- What a community holds: its entities, and the text units that mention them.
SELECT 'entity' AS kind, entity_id AS id FROM community_members WHERE community_id = $id
UNION ALL
SELECT DISTINCT 'text_unit', m.text_unit_id
FROM entity_mentions m JOIN community_members c USING (entity_id)
WHERE c.community_id = $id
ORDER BY ALL
