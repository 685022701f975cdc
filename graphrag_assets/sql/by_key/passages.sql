-- Text units as they are cited: with the page on which each begins and those that begin inside it.
SELECT
    u.id, d.id AS document_id, d.path, d.title,
    list_max([x.page FOR x IN d.pages IF x.start_char <= u.start_char]) AS page,
    [x FOR x IN d.pages IF x.start_char > u.start_char AND x.start_char < u.end_char] AS turns,
    u.start_char, u.n_tokens, u.text
FROM text_units u JOIN documents d ON d.id = u.document_id
WHERE u.id IN (SELECT unnest($keys::VARCHAR[]))
