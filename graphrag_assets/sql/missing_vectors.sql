-- What should have a vector and has none, by the asset that would hold it.
SELECT 'text_unit_embeddings' AS asset, id FROM text_units
WHERE id NOT IN (SELECT id FROM text_unit_embeddings)
UNION ALL
SELECT 'document_embeddings', id FROM documents
WHERE id NOT IN (SELECT id FROM document_embeddings)
UNION ALL
SELECT 'entity_embeddings', id FROM entities
WHERE id NOT IN (SELECT id FROM entity_embeddings)
UNION ALL
SELECT 'relationship_embeddings', id FROM relationships
WHERE id NOT IN (SELECT id FROM relationship_embeddings)
UNION ALL
SELECT 'report_embeddings', community_id FROM community_reports
WHERE full_content <> '' AND community_id NOT IN (SELECT id FROM report_embeddings)
