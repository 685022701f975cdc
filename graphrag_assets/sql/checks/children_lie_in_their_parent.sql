-- on: community_members
-- blocking: yes
-- The members of a community are members of its parent.
SELECT c.id AS community_id, m.entity_id
FROM communities c JOIN community_members m ON m.community_id = c.id
WHERE c.parent_id IS NOT NULL AND NOT EXISTS (
    FROM community_members p WHERE p.community_id = c.parent_id AND p.entity_id = m.entity_id)
