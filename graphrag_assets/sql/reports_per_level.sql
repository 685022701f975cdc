-- For each level (C0, C1 …) the reports that together cover every entity once: of the level's
-- communities, and of coarser ones that weren't split again.
SELECT levels.level, c.id, c.level AS own_level, c.parent_id, c.size, r.n_tokens, r.rating
FROM (SELECT DISTINCT level FROM communities) levels
JOIN communities c
  ON c.level = levels.level
  OR (c.level < levels.level
      AND c.id NOT IN (SELECT parent_id FROM communities WHERE parent_id IS NOT NULL))
JOIN community_reports r ON r.community_id = c.id
WHERE r.full_content <> ''
ORDER BY levels.level, c.id
