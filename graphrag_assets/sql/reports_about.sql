-- Reports of the communities, at a level, that hold most of these entities; one that wasn't split
-- down to that level is carried down.
WITH places AS (
    SELECT m.entity_id, arg_max(m.community_id, c.level) AS community_id
    FROM community_members m JOIN communities c ON c.id = m.community_id
    WHERE m.entity_id IN (SELECT unnest($ids::VARCHAR[])) AND c.level <= $level
    GROUP BY m.entity_id)
SELECT r.community_id AS id, r.title || chr(10) || r.summary AS text, count(*) AS hits
FROM places JOIN community_reports r USING (community_id)
WHERE r.full_content <> ''
GROUP BY ALL
ORDER BY hits DESC, id
LIMIT 5
