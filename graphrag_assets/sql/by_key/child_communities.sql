-- The communities right below these, by the rating of their reports.
SELECT c.parent_id, c.id, c.level, r.title, r.rating, c.size
FROM communities c JOIN community_reports r ON r.community_id = c.id
WHERE c.parent_id IN (SELECT unnest($keys::VARCHAR[])) AND r.full_content <> ''
ORDER BY c.parent_id, r.rating DESC, c.size DESC, c.id
