-- The relationships of an entity, with their other ends, the heaviest first.
SELECT
    r.id, other.id AS entity_id, other.title, other.type, r.description, r.weight,
    r.combined_degree
FROM relationships r
JOIN entities other ON other.id = CASE r.source_id WHEN $id THEN r.target_id ELSE r.source_id END
WHERE $id IN (r.source_id, r.target_id)
ORDER BY r.weight DESC, r.combined_degree DESC, r.id
