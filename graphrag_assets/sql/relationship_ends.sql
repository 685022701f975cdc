-- Relationships by the places of their ends (entities by id), with what ranks them.
WITH places AS (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM entities)
SELECT r.id, s.place AS source, t.place AS target, r.weight::DOUBLE AS weight, r.combined_degree
FROM relationships r JOIN places s ON s.id = r.source_id JOIN places t ON t.id = r.target_id
ORDER BY r.id
