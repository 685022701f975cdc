-- Names that begin with these words, one or two.
SELECT start, name, kind, ref_id
FROM names
WHERE start IN (SELECT unnest($keys::VARCHAR[]))
ORDER BY ALL
