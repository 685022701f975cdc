-- What a text names: names that begin with these words and stand in it as a whole.
SELECT name, kind, ref_id
FROM names
WHERE start IN (SELECT unnest($starts::VARCHAR[])) AND contains($text, ' ' || name || ' ')
ORDER BY ALL
