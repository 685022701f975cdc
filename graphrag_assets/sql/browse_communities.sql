-- Communities with the titles of their reports, the largest of each level first.
SELECT
    c.id, c.level, c.parent_id, c.size AS n_entities, c.n_relationships, c.born_in, c.event,
    coalesce(r.title, '') AS title, coalesce(r.rating, 0) AS rating
FROM communities c LEFT JOIN community_reports r ON r.community_id = c.id
WHERE ($level::BIGINT IS NULL OR c.level = $level)
    AND ($parent::VARCHAR IS NULL OR c.parent_id = $parent)
ORDER BY c.level, c.size DESC, c.id
