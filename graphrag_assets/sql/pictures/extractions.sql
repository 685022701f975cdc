-- What became of text units in extraction.
SELECT '' AS panel, status AS label, count(*) AS n
FROM extractions GROUP BY ALL ORDER BY n DESC, label
