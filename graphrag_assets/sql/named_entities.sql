-- Entities that a (case-folded) question calls by one of their names.
SELECT DISTINCT entity_id FROM entity_aliases
WHERE length(title) > 1 AND contains($question, lower(title))
ORDER BY entity_id
