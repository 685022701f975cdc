-- What an analyst would miss or notice: each thing with its title and a hash of its content.
SELECT 'document' AS kind, id, title, hash(path, title, sha256, metadata) AS content FROM documents
UNION ALL
SELECT 'entity', id, title, hash(title, type, description) FROM entities
UNION ALL
SELECT 'relationship', r.id, s.title || ' — ' || t.title, hash(r.description, r.weight)
FROM relationships r JOIN entities s ON s.id = r.source_id JOIN entities t ON t.id = r.target_id
UNION ALL
SELECT 'community', c.id, coalesce(r.title, ''), hash(c.parent_id, c.fingerprint)
FROM communities c LEFT JOIN community_reports r ON r.community_id = c.id
UNION ALL
SELECT 'report', community_id, title, hash(full_content) FROM community_reports
