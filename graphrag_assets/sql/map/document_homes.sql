-- The community of each document at each level: the one that most of its mentions are in.
WITH counted AS (
    SELECT l.level, u.document_id AS id, l.community_id, count(*) AS n
    FROM entity_mentions m
    JOIN text_units u ON u.id = m.text_unit_id
    JOIN community_levels l ON l.entity_id = m.entity_id
    GROUP BY ALL)
SELECT level, id, arg_max(community_id, (n, community_id)) AS community_id
FROM counted
GROUP BY ALL
