-- How many files ended in which state.
SELECT '' AS panel, status AS label, count(*) AS n FROM files GROUP BY ALL ORDER BY n DESC, label
