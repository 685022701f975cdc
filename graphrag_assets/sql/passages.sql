-- Where elements are mentioned, or where text units stand.
SELECT
    p.ref_id, p.text_unit_id, p.document_id, p.path, p.title, p.page,
    u.start_char, u.text
FROM element_places p JOIN text_units u ON u.id = p.text_unit_id
WHERE p.ref_id IN (SELECT unnest($ids::VARCHAR[]))
UNION
SELECT
    u.id, u.id, d.id, d.path, d.title,
    (SELECT max(page.page) FROM (SELECT unnest(d.pages) AS page)
     WHERE page.start_char <= u.start_char),
    u.start_char, u.text
FROM text_units u JOIN documents d ON d.id = u.document_id
WHERE u.id IN (SELECT unnest($ids::VARCHAR[]))
ORDER BY ALL
