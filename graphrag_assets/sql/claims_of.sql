-- Claims that an entity is the subject or the object of.
SELECT
    c.id, c.type, c.status, c.description, c.start_date, c.end_date, c.quote,
    s.title AS subject, o.title AS object
FROM claims c
JOIN entities s ON s.id = c.subject_id
LEFT JOIN entities o ON o.id = c.object_id
WHERE $id IN (c.subject_id, c.object_id)
ORDER BY c.start_date NULLS LAST, c.id
