-- Where elements are mentioned, or where text units stand: the text unit, with the page on which
-- it begins and those that begin inside it. Where entities are mentioned is known: the graph has it.
WITH refs AS (SELECT DISTINCT unnest($ids::VARCHAR[]) AS id),
places AS (
    SELECT unnest($mentioned::VARCHAR[]) AS ref_id, unnest($units::VARCHAR[]) AS text_unit_id
    UNION
    SELECT m.relationship_id, m.text_unit_id
    FROM relationship_mentions m JOIN refs ON refs.id = m.relationship_id
    UNION
    SELECT c.id, c.text_unit_id FROM claims c JOIN refs USING (id)
    UNION
    SELECT u.id, u.id FROM text_units u JOIN refs USING (id))
SELECT
    p.ref_id, u.id AS text_unit_id, d.id AS document_id, d.path, d.title,
    list_max([x.page FOR x IN d.pages IF x.start_char <= u.start_char]) AS page,
    [x FOR x IN d.pages IF x.start_char > u.start_char AND x.start_char < u.end_char] AS turns,
    u.start_char, u.text
FROM places p
JOIN text_units u ON u.id = p.text_unit_id
JOIN documents d ON d.id = u.document_id
ORDER BY p.ref_id, u.id
