-- Relationships in Microsoft GraphRAG's columns, with ids for ends; a weight there is a strength.
WITH places AS (
    SELECT ref_id, list(DISTINCT text_unit_id ORDER BY text_unit_id) AS text_unit_ids
    FROM element_places WHERE kind = 'relationship' GROUP BY ALL)
SELECT
    id,
    row_number() OVER (ORDER BY combined_degree DESC, id) - 1 AS human_readable_id,
    source_id, target_id, description,
    strength AS weight, combined_degree,
    coalesce(text_unit_ids, []) AS text_unit_ids
FROM relationships LEFT JOIN places ON places.ref_id = id
ORDER BY human_readable_id
