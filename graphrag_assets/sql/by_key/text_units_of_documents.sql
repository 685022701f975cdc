-- The text units of documents.
SELECT document_id, id FROM text_units
WHERE document_id IN (SELECT unnest($keys::VARCHAR[]))
ORDER BY document_id, ordinal
