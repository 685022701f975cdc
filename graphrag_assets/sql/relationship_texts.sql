-- Relationships as they stand in a prompt. Their ends are known: only the columns that are needed
-- are read, of as few rows as can be.
WITH known AS (
    SELECT unnest($ids::VARCHAR[]) AS id, unnest($sources::VARCHAR[]) AS source_id,
        unnest($targets::VARCHAR[]) AS target_id),
described AS MATERIALIZED (
    SELECT id, description FROM relationships WHERE id IN (SELECT id FROM known)),
named AS MATERIALIZED (
    SELECT id, title FROM entities WHERE id IN (SELECT unnest([source_id, target_id]) FROM known))
SELECT id, s.title || ' — ' || t.title || ': ' || description AS text
FROM described
JOIN known USING (id)
JOIN named s ON s.id = source_id
JOIN named t ON t.id = target_id
