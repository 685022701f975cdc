-- From a relationship to its text units and documents.
CREATE OR REPLACE VIEW relationship_lineage AS
SELECT
    ref_id AS relationship_id, s.title AS source, t.title AS target,
    text_unit_id, document_id, path, start_char, end_char, page
FROM element_places
JOIN relationships r ON r.id = ref_id
JOIN entities s ON s.id = r.source_id
JOIN entities t ON t.id = r.target_id
WHERE kind = 'relationship';
