-- Communities with their reports, coarse before fine, the largest first.
SELECT
    c.id, c.level, c.parent_id, c.size, r.title, r.rating, r.rating_explanation, r.status,
    r.summary, coalesce(r.findings, []) AS findings
FROM communities c LEFT JOIN community_reports r ON r.community_id = c.id
ORDER BY c.level, c.size DESC, c.id
