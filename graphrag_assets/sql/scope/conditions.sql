-- What a condition on documents can be about: their columns, and when their files were modified.
SELECT d.*, f.modified_at
FROM whole.documents d LEFT JOIN whole.files f ON f.path = d.path
