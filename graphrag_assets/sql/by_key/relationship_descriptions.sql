-- How relationships are described, bare: their ends are known, and columns of long strings are slow.
SELECT id, description FROM relationships WHERE id IN (SELECT unnest($keys::VARCHAR[]))
