-- The reports that together cover every entity once at a level (C0, C1 …).
SELECT DISTINCT r.community_id AS id, r.title, r.full_content, r.n_tokens, r.rating
FROM community_levels l JOIN community_reports r USING (community_id)
WHERE l.level = least($level, (SELECT max(level) FROM communities)) AND r.full_content <> ''
ORDER BY r.community_id
