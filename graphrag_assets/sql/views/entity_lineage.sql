-- From an entity to its text units and documents.
CREATE OR REPLACE VIEW entity_lineage AS
SELECT
    ref_id AS entity_id, e.title, text_unit_id, document_id, path, start_char, end_char, page
FROM element_places JOIN entities e ON e.id = ref_id
WHERE kind = 'entity';
