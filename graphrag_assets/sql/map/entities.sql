-- Entities, the best connected first, with their place on the map if they have one.
SELECT e.id, e.title, e.type, e.description AS about, e.degree::DOUBLE AS size, l.x, l.y
FROM entities e LEFT JOIN layout l ON l.kind = 'entity' AND l.id = e.id
ORDER BY size DESC, e.id
