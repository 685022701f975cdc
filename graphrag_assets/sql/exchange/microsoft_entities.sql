-- Entities in Microsoft GraphRAG's columns; a title is a key there, so those of two get their ids.
WITH places AS (
    SELECT ref_id, list(DISTINCT text_unit_id ORDER BY text_unit_id) AS text_unit_ids
    FROM element_places WHERE kind = 'entity' GROUP BY ALL),
named AS (
    SELECT *, CASE WHEN count(*) OVER (PARTITION BY title) > 1
                   THEN title || ' (E' || id[:8] || ')' ELSE title END AS name
    FROM entities)
SELECT
    id,
    row_number() OVER (ORDER BY name, id) - 1 AS human_readable_id,
    name AS title, type, description,
    coalesce(text_unit_ids, []) AS text_unit_ids,
    coalesce(len(text_unit_ids), 0) AS frequency,
    degree
FROM named LEFT JOIN places ON places.ref_id = id
ORDER BY human_readable_id
