-- What came, went or changed after one version up to another; what came and went is left out.
WITH history AS (
    SELECT
        kind, id,
        arg_max(title, version) AS title,
        arg_min(change, version) AS first,
        arg_max(change, version) AS last
    FROM index_changes
    WHERE version > $since AND version <= $until
    GROUP BY kind, id)
SELECT
    kind, id, title,
    CASE WHEN first = 'added' THEN 'added' WHEN last = 'removed' THEN 'removed' ELSE 'changed' END
        AS change
FROM history
WHERE NOT (first = 'added' AND last = 'removed')
ORDER BY ALL
