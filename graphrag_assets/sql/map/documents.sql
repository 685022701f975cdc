-- Documents, the longest first, with their place on the map if they have one.
SELECT
    d.id, d.title, d.path AS type, substr(d.text, 1, 600) AS about,
    d.n_tokens::DOUBLE AS size, l.x, l.y
FROM documents d LEFT JOIN layout l ON l.kind = 'document' AND l.id = d.id
ORDER BY size DESC, d.id
