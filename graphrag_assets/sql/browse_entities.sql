-- Entities whose title or another name contains a text: that very title first, then by degree.
SELECT id, title, type, description, n_mentions, n_documents, degree
FROM entities e
WHERE ($type::VARCHAR IS NULL OR lower(type) = lower($type))
    AND ($name = '' OR contains(lower(title), lower($name)) OR EXISTS (
        FROM entity_aliases a
        WHERE a.entity_id = e.id AND contains(lower(a.title), lower($name))))
ORDER BY lower(title) = lower($name) DESC, starts_with(lower(title), lower($name)) DESC,
    degree DESC, id
