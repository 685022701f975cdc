-- Relationships among entities, the strongest first.
SELECT id FROM relationships
WHERE source_id IN (SELECT unnest($ids::VARCHAR[])) AND target_id IN (SELECT unnest($ids::VARCHAR[]))
ORDER BY weight DESC, combined_degree DESC, id
LIMIT $k
