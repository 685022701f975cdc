-- What an id, or its first digits, stands for.
SELECT 'report' AS kind, community_id AS id, title FROM community_reports
WHERE starts_with(community_id, $id)
UNION ALL
SELECT 'entity', id, title FROM entities WHERE starts_with(id, $id)
UNION ALL
SELECT 'relationship', r.id, s.title || ' — ' || t.title
FROM relationships r JOIN entities s ON s.id = r.source_id JOIN entities t ON t.id = r.target_id
WHERE starts_with(r.id, $id)
UNION ALL
SELECT 'claim', id, description FROM claims WHERE starts_with(id, $id)
UNION ALL
SELECT 'text_unit', u.id, d.title
FROM text_units u JOIN documents d ON d.id = u.document_id
WHERE starts_with(u.id, $id)
ORDER BY ALL
