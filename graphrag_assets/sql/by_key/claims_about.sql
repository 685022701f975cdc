-- Claims about entities, as they stand in a prompt, with the date that orders them.
SELECT
    c.subject_id, c.id,
    e.title || ': ' || c.description || ' (' || concat_ws(', ', c.status, c.start_date) || ')' AS text,
    c.start_date
FROM claims c JOIN entities e ON e.id = c.subject_id
WHERE c.subject_id IN (SELECT unnest($keys::VARCHAR[]))
QUALIFY row_number() OVER (PARTITION BY c.subject_id ORDER BY c.start_date NULLS LAST, c.id) <= 200
ORDER BY c.subject_id, c.start_date NULLS LAST, c.id
