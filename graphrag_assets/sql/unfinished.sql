-- What a complete index would have and this one lacks, with the reason.
SELECT 'file' AS kind, path AS id, status, reason FROM files
WHERE status IN ('unreadable', 'failed')
UNION ALL
SELECT 'text unit', text_unit_id, status, reason FROM extractions
WHERE status NOT IN ('ok', 'empty')
UNION ALL
SELECT 'report', community_id, status, reason FROM community_reports
WHERE status NOT IN ('ok', 'stale')
UNION ALL
SELECT 'vector', id, 'failed', coalesce(last.reason, 'made of others that are missing')
FROM (
    SELECT id, 'text_unit_embeddings' AS asset FROM text_units
    WHERE id NOT IN (SELECT id FROM text_unit_embeddings)
    UNION ALL
    SELECT id, 'document_embeddings' FROM documents
    WHERE id NOT IN (SELECT id FROM document_embeddings)
    UNION ALL
    SELECT id, 'entity_embeddings' FROM entities
    WHERE id NOT IN (SELECT id FROM entity_embeddings)
    UNION ALL
    SELECT id, 'relationship_embeddings' FROM relationships
    WHERE id NOT IN (SELECT id FROM relationship_embeddings)
    UNION ALL
    SELECT community_id, 'report_embeddings' FROM community_reports
    WHERE full_content <> '' AND community_id NOT IN (SELECT id FROM report_embeddings)
) AS lacking
LEFT JOIN (
    SELECT asset, arg_max(reason, created_at) AS reason FROM model_calls
    WHERE reason IS NOT NULL
    GROUP BY asset
) AS last USING (asset)
ORDER BY ALL
