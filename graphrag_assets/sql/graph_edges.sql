-- The graph that local search walks: relationships, and which text units mention which entities.
SELECT source_id AS one, target_id AS other, weight, false AS contains FROM relationships
UNION ALL
SELECT DISTINCT entity_id, text_unit_id, 1.0, true FROM entity_mentions
WHERE entity_id IS NOT NULL
ORDER BY ALL
