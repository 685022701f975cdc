-- The heaviest relationships.
SELECT source_id, target_id FROM relationships
ORDER BY weight DESC, combined_degree DESC, id
LIMIT $most
