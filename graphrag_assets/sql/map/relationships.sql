-- The heaviest relationships.
SELECT id, source_id, target_id, weight, description AS about
FROM relationships
ORDER BY weight DESC, combined_degree DESC, id
LIMIT $most
