-- For each level (C0, C1 …) the reports that together cover every entity once: of the level's
-- communities, of coarser ones that weren't split again, and, where a community has no report,
-- of those right below it.
WITH reports AS (
    SELECT community_id AS id, n_tokens, rating FROM community_reports WHERE full_content <> '')
SELECT levels.level, c.id, c.level AS own_level, c.parent_id, c.size, r.n_tokens, r.rating
FROM (SELECT DISTINCT level FROM communities) levels
JOIN communities c
  ON c.level = levels.level
  OR (c.level < levels.level
      AND c.id NOT IN (SELECT parent_id FROM communities WHERE parent_id IS NOT NULL))
  OR (c.level > levels.level AND c.parent_id NOT IN (SELECT id FROM reports))
JOIN reports r ON r.id = c.id
ORDER BY levels.level, c.id
