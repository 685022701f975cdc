-- The two ends of relationships.
SELECT id, source_id, target_id FROM relationships
WHERE id IN (SELECT unnest($ids::VARCHAR[]))
