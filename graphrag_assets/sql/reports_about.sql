-- Reports of the communities, at a level, that hold most of these entities.
SELECT r.community_id AS id, r.title || chr(10) || r.summary AS text, count(*) AS hits
FROM community_levels l JOIN community_reports r USING (community_id)
WHERE l.level = least($level, (SELECT max(level) FROM communities))
  AND l.entity_id IN (SELECT unnest($ids::VARCHAR[])) AND r.full_content <> ''
GROUP BY ALL
ORDER BY hits DESC, id
LIMIT 5
