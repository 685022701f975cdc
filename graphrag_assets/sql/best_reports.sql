-- The reports of the coarsest level, the most important first, with title and summary.
SELECT r.community_id AS id, r.title || chr(10) || r.summary AS text
FROM community_reports r JOIN communities c ON c.id = r.community_id
WHERE c.level = 0 AND r.full_content <> ''
ORDER BY r.rating DESC, c.size DESC, id
LIMIT $k
