-- Where elements are mentioned, or where text units stand: the text unit, with the page on which
-- it begins and those that begin inside it. Where entities are mentioned is known: the graph has it.
WITH places AS (
    SELECT DISTINCT ref_id, text_unit_id
    FROM (
        SELECT unnest($mentioned::VARCHAR[]) AS ref_id, unnest($units::VARCHAR[]) AS text_unit_id
        UNION ALL
        SELECT relationship_id, text_unit_id FROM relationship_mentions
        WHERE relationship_id IN (SELECT unnest($ids::VARCHAR[]))
        UNION ALL
        SELECT id, text_unit_id FROM claims WHERE id IN (SELECT unnest($ids::VARCHAR[]))
        UNION ALL
        SELECT unnest($ids::VARCHAR[]), unnest($ids::VARCHAR[])))
SELECT
    p.ref_id, u.id AS text_unit_id, d.id AS document_id, d.path, d.title,
    list_max([x.page FOR x IN d.pages IF x.start_char <= u.start_char]) AS page,
    [x FOR x IN d.pages IF x.start_char > u.start_char AND x.start_char < u.end_char] AS turns,
    u.start_char, u.text
FROM places p
JOIN text_units u ON u.id = p.text_unit_id
JOIN documents d ON d.id = u.document_id
ORDER BY p.ref_id, u.id
