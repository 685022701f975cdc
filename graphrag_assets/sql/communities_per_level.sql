-- How many communities cover the entities at each level (C0, C1 …).
SELECT level, count(DISTINCT community_id) AS communities
FROM community_levels
GROUP BY level
ORDER BY level
