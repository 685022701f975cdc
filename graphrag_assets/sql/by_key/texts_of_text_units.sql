-- Text units, bare.
SELECT id, text FROM text_units WHERE id IN (SELECT unnest($keys::VARCHAR[]))
