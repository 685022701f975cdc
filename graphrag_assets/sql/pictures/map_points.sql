-- Where entities stand, the best connected first.
SELECT id, x, y, size, community_id FROM layout
WHERE kind = 'entity'
ORDER BY size DESC, id
