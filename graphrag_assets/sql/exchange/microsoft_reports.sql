-- Reports that were written.
SELECT
    community_id AS id, title, summary, full_content, rating AS rank, rating_explanation, findings
FROM community_reports
WHERE full_content <> ''
ORDER BY id
