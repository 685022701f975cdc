-- Whole reports, as they stand in a prompt.
SELECT community_id AS id, ltrim(full_content, '# ') AS text, n_tokens
FROM community_reports
WHERE community_id IN (SELECT unnest($keys::VARCHAR[])) AND full_content <> ''
