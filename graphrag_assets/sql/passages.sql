-- Where elements are mentioned, or where text units stand.
WITH asked AS (SELECT DISTINCT unnest($ids::VARCHAR[]) AS ref_id),
places AS (
    SELECT ref_id, text_unit_id FROM entity_mentions JOIN asked ON ref_id = entity_id
    UNION
    SELECT ref_id, text_unit_id FROM relationship_mentions JOIN asked ON ref_id = relationship_id
    UNION
    SELECT ref_id, text_unit_id FROM claims JOIN asked ON ref_id = id
    UNION
    SELECT ref_id, id FROM text_units JOIN asked ON ref_id = id)
SELECT
    p.ref_id, u.id AS text_unit_id, d.id AS document_id, d.path, d.title,
    (SELECT max(page.page) FROM (SELECT unnest(d.pages) AS page)
     WHERE page.start_char <= u.start_char) AS page,
    u.start_char, u.text
FROM places p
JOIN text_units u ON u.id = p.text_unit_id
JOIN documents d ON d.id = u.document_id
ORDER BY ALL
