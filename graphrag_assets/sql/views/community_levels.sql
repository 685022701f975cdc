-- The paper's C0..C3: at each level every entity stands in one community; one that wasn't split
-- again is carried down.
CREATE OR REPLACE VIEW community_levels AS
WITH membership AS (
    SELECT c.level, m.entity_id, m.community_id
    FROM community_members m JOIN communities c ON c.id = m.community_id)
SELECT levels.level, entity_id, arg_max(community_id, membership.level) AS community_id
FROM (SELECT DISTINCT level FROM communities) levels
JOIN membership ON membership.level <= levels.level
GROUP BY levels.level, entity_id;
