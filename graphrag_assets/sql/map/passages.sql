-- Text units with the path, page and span where they stand.
SELECT
    u.id, d.path, d.title, u.start_char, u.end_char, u.text,
    list_max([p.page FOR p IN d.pages IF p.start_char <= u.start_char]) AS page
FROM text_units u JOIN documents d ON d.id = u.document_id
WHERE u.id IN (SELECT unnest($ids::VARCHAR[]))
