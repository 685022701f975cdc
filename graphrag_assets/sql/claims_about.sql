-- Claims about entities, as they stand in a prompt.
SELECT
    c.id, c.subject_id,
    e.title || ': ' || c.description || ' (' || concat_ws(', ', c.status, c.start_date) || ')' AS text
FROM claims c JOIN entities e ON e.id = c.subject_id
WHERE c.subject_id IN (SELECT unnest($ids::VARCHAR[]))
ORDER BY c.start_date NULLS LAST, c.id
LIMIT 200
