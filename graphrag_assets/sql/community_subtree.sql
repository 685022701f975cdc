-- A community and all below it.
WITH RECURSIVE subtree AS (
    SELECT id FROM communities WHERE id = $id
    UNION ALL
    SELECT c.id FROM communities c JOIN subtree s ON c.parent_id = s.id)
SELECT c.id, c.level FROM communities c JOIN subtree USING (id)
ORDER BY c.level, c.id
