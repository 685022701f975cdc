-- on: layout
-- blocking: no
-- Every entity and document has its place on the map.
SELECT 'entity' AS kind, id FROM entities
WHERE id NOT IN (SELECT id FROM layout WHERE kind = 'entity')
UNION ALL
SELECT 'document', id FROM documents
WHERE id NOT IN (SELECT id FROM layout WHERE kind = 'document')
