-- Reports in short, the most important of each level first.
SELECT
    r.community_id AS id, r.level, r.title, r.summary, r.rating, r.status,
    c.parent_id, c.size AS n_entities
FROM community_reports r JOIN communities c ON c.id = r.community_id
WHERE $level::BIGINT IS NULL OR r.level = $level
ORDER BY r.level, r.rating DESC, r.community_id
