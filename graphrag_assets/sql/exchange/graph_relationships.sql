-- Relationships as edges of a drawing.
SELECT id, source_id, target_id, description, weight, strength, n_mentions FROM relationships
ORDER BY id
