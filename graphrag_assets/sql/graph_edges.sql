-- The graph that local search walks: relationships, and which text units mention which entities,
-- by the places of their ends (entities by id, then text units by id).
WITH entity_places AS (
    SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM entities),
unit_places AS (
    SELECT id, row_number() OVER (ORDER BY id) - 1 + (SELECT count(*) FROM entities) AS place
    FROM text_units),
mentions AS (
    SELECT DISTINCT entity_id, text_unit_id FROM entity_mentions WHERE entity_id IS NOT NULL)
SELECT
    s.place::INTEGER AS one, t.place::INTEGER AS other, r.weight::FLOAT AS weight,
    false AS contains
FROM relationships r
JOIN entity_places s ON s.id = r.source_id
JOIN entity_places t ON t.id = r.target_id
UNION ALL
SELECT e.place, u.place, 1, true
FROM mentions m
JOIN entity_places e ON e.id = m.entity_id
JOIN unit_places u ON u.id = m.text_unit_id
