-- Names that begin with these words, one or two.
SELECT name, kind, ref_id
FROM names
WHERE start IN (SELECT unnest($starts::VARCHAR[]))
ORDER BY ALL
