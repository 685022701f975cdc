-- Reports by title and summary, as they stand in a prompt.
SELECT community_id AS id, title || chr(10) || summary AS text
FROM community_reports
WHERE community_id IN (SELECT unnest($keys::VARCHAR[])) AND full_content <> ''
