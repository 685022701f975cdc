-- Some text units that mention each entity, and how many there are.
WITH mentions AS (
    SELECT DISTINCT entity_id AS ref_id, text_unit_id FROM entity_mentions
    WHERE entity_id IS NOT NULL)
SELECT
    ref_id, text_unit_id,
    count(*) OVER (PARTITION BY ref_id) AS total
FROM mentions JOIN text_units u ON u.id = text_unit_id
QUALIFY row_number() OVER (PARTITION BY ref_id ORDER BY u.document_id, u.start_char) <= $most
ORDER BY ref_id, u.document_id, u.start_char
