-- Each entity, relationship and claim with the passages that mention it.
CREATE OR REPLACE VIEW element_places AS
WITH mentions AS (
    SELECT 'entity' AS kind, entity_id AS ref_id, text_unit_id FROM entity_mentions
    UNION
    SELECT 'relationship', relationship_id, text_unit_id FROM relationship_mentions
    UNION
    SELECT 'claim', id, text_unit_id FROM claims)
SELECT
    kind, ref_id, u.id AS text_unit_id, d.id AS document_id, d.path, d.title,
    coalesce(c.start_char, u.start_char) AS start_char,
    coalesce(c.end_char, u.end_char) AS end_char,
    (SELECT max(p.page) FROM (SELECT unnest(d.pages) AS p)
     WHERE p.start_char <= coalesce(c.start_char, u.start_char)) AS page
FROM mentions
JOIN text_units u ON u.id = mentions.text_unit_id
JOIN documents d ON d.id = u.document_id
LEFT JOIN claims c ON kind = 'claim' AND c.id = ref_id
WHERE ref_id IS NOT NULL;
