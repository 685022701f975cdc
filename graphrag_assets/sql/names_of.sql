-- The names by which the corpus calls an entity.
SELECT DISTINCT title FROM entity_aliases WHERE entity_id = $id ORDER BY title
