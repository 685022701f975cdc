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
FROM missing_vectors LEFT JOIN (
    SELECT asset, arg_max(reason, created_at) AS reason FROM model_calls
    WHERE reason IS NOT NULL
    GROUP BY asset
) AS last USING (asset)
ORDER BY ALL
