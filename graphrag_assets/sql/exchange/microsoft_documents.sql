-- Documents in Microsoft GraphRAG's columns; the index's date stands for a file's.
WITH units AS (
    SELECT document_id, list(id ORDER BY ordinal) AS text_unit_ids FROM text_units GROUP BY ALL)
SELECT
    d.id,
    row_number() OVER (ORDER BY d.path, d.record, d.id) - 1 AS human_readable_id,
    d.title, d.text,
    coalesce(text_unit_ids, []) AS text_unit_ids,
    (SELECT strftime(max(created_at), '%Y-%m-%d %H:%M:%S +0000') FROM index_versions)
        AS creation_date,
    d.metadata AS raw_data
FROM documents d LEFT JOIN units ON units.document_id = d.id
ORDER BY human_readable_id
