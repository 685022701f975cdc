-- The communities right below these, by the rating of their reports.
SELECT c.id, c.level, r.title, r.rating
FROM communities c JOIN community_reports r ON r.community_id = c.id
WHERE c.parent_id IN (SELECT unnest($ids::VARCHAR[])) AND r.full_content <> ''
ORDER BY r.rating DESC, c.size DESC, c.id
LIMIT $k
