-- What communities are called on the map: their reports' titles, or else their best connected
-- entities, as reports are written later.
WITH roots AS (
    SELECT community_id, count(*) AS n, median(x) AS x, median(y) AS y
    FROM layout WHERE kind = 'entity' AND community_id IS NOT NULL GROUP BY ALL),
named AS (
    SELECT m.community_id, arg_max(e.title, (e.degree, e.id), 2) AS titles
    FROM community_members m JOIN entities e ON e.id = m.entity_id GROUP BY ALL)
SELECT
    roots.community_id, x, y, n,
    coalesce(nullif(r.title, ''), list_aggregate(titles, 'string_agg', ', ')) AS title
FROM roots
JOIN named USING (community_id)
LEFT JOIN community_reports r USING (community_id)
ORDER BY n DESC, roots.community_id
LIMIT $most
