-- In how many text units each term stands, beside how many there are.
SELECT term, count(*) AS n, (SELECT count(*) FROM text_units) AS size
FROM text_unit_terms
WHERE term IN (SELECT unnest($terms::VARCHAR[]))
GROUP BY term
