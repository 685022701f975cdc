-- Some text units of each of these relationships and claims, and how many there are.
WITH mentions AS (
    SELECT relationship_id AS ref_id, text_unit_id FROM relationship_mentions
    UNION
    SELECT id, text_unit_id FROM claims)
SELECT
    ref_id, text_unit_id,
    count(*) OVER (PARTITION BY ref_id) AS total
FROM mentions JOIN text_units u ON u.id = text_unit_id
WHERE ref_id IN (SELECT unnest($ids::VARCHAR[]))
QUALIFY row_number() OVER (PARTITION BY ref_id ORDER BY u.document_id, u.start_char) <= $most
ORDER BY ref_id, u.document_id, u.start_char
