-- Claims in Microsoft GraphRAG's columns, with ids for subject and object.
SELECT
    id,
    row_number() OVER (ORDER BY id) - 1 AS human_readable_id,
    'claim' AS covariate_type,
    type, description, subject_id, object_id,
    upper(status) AS status,
    coalesce(start_date, 'NONE') AS start_date,
    coalesce(end_date, 'NONE') AS end_date,
    quote AS source_text,
    text_unit_id
FROM claims
ORDER BY human_readable_id
