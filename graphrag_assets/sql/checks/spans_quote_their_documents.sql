-- on: text_units
-- blocking: yes
-- A text unit is exactly the span of its document that it names.
SELECT u.id, d.path
FROM text_units u JOIN documents d ON d.id = u.document_id
WHERE u.text <> d.text[u.start_char + 1:u.end_char]
