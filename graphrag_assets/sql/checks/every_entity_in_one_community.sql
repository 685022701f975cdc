-- on: community_members
-- blocking: yes
-- Every entity stands in exactly one community per level.
SELECT levels.level, e.id AS entity_id, count(l.community_id) AS communities
FROM (SELECT DISTINCT level FROM communities) levels CROSS JOIN entities e
LEFT JOIN community_levels l ON l.level = levels.level AND l.entity_id = e.id
GROUP BY ALL
HAVING communities <> 1
