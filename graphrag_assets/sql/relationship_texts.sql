-- Relationships as they stand in a prompt. Their ends are known: columns of long strings are slow.
SELECT r.id, s.title || ' — ' || t.title || ': ' || r.description AS text
FROM (SELECT
          unnest($ids::VARCHAR[]) AS id, unnest($sources::VARCHAR[]) AS source_id,
          unnest($targets::VARCHAR[]) AS target_id) known
JOIN relationships r ON r.id = known.id
JOIN entities s ON s.id = known.source_id
JOIN entities t ON t.id = known.target_id
