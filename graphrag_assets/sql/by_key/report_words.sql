-- Whole reports in lower case, to look for terms in them.
SELECT community_id, lower(full_content) AS words
FROM community_reports
WHERE community_id IN (SELECT unnest($keys::VARCHAR[]))
