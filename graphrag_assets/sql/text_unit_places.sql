-- Text units with the documents they stand in.
SELECT u.id, u.document_id, d.title, d.path
FROM text_units u JOIN documents d ON d.id = u.document_id
WHERE u.id IN (SELECT unnest($ids::VARCHAR[]))
