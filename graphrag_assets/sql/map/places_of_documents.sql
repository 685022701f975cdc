-- The first text units of each document, and how many there are.
SELECT
    document_id AS ref_id, id AS text_unit_id,
    count(*) OVER (PARTITION BY document_id) AS total
FROM text_units
QUALIFY row_number() OVER (PARTITION BY document_id ORDER BY ordinal) <= $most
ORDER BY document_id, ordinal
