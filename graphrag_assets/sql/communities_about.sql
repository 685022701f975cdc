-- The communities of a level that hold most of these entities (once for each time they are given)
-- and of those that these claims and text units mention.
WITH refs AS (SELECT unnest($ids::VARCHAR[]) AS id),
touched AS (
    SELECT id AS entity_id FROM refs
    UNION ALL
    SELECT unnest([c.subject_id, c.object_id]) FROM claims c JOIN refs USING (id)
    UNION ALL
    SELECT m.entity_id FROM entity_mentions m JOIN refs ON refs.id = m.text_unit_id)
SELECT c.id, c.level, r.title, r.rating, count(*) AS hits
FROM touched
JOIN community_members USING (entity_id)
JOIN communities c ON c.id = community_id
JOIN community_reports r ON r.community_id = c.id
WHERE c.level = $level AND r.full_content <> ''
GROUP BY ALL
ORDER BY hits DESC, r.rating DESC, c.id
LIMIT $k
