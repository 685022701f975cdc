-- The communities whose id begins with these digits.
SELECT id FROM communities WHERE starts_with(id, $id) ORDER BY id
