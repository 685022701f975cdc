-- Text units in Microsoft GraphRAG's columns, each with the ids of what it mentions.
WITH mentioned AS (
    SELECT
        text_unit_id,
        list(ref_id ORDER BY ref_id) FILTER (kind = 'entity') AS entity_ids,
        list(ref_id ORDER BY ref_id) FILTER (kind = 'relationship') AS relationship_ids,
        list(ref_id ORDER BY ref_id) FILTER (kind = 'claim') AS covariate_ids
    FROM element_places GROUP BY ALL)
SELECT
    u.id,
    row_number() OVER (ORDER BY d.path, d.record, u.document_id, u.ordinal) - 1
        AS human_readable_id,
    u.text, u.n_tokens, u.document_id,
    coalesce(entity_ids, []) AS entity_ids,
    coalesce(relationship_ids, []) AS relationship_ids,
    coalesce(covariate_ids, []) AS covariate_ids
FROM text_units u
JOIN documents d ON d.id = u.document_id
LEFT JOIN mentioned ON mentioned.text_unit_id = u.id
ORDER BY human_readable_id
