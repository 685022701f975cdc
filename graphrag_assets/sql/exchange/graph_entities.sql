-- Entities as vertices of a drawing: with their place on the map.
SELECT e.id, e.title, e.type, e.description, e.n_mentions, e.n_documents, e.degree, l.x, l.y
FROM entities e LEFT JOIN layout l ON l.kind = 'entity' AND l.id = e.id
ORDER BY e.id
