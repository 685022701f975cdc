-- What reading each document asked of models.
CREATE OR REPLACE VIEW cost_by_document AS
SELECT
    d.id AS document_id, d.path, d.title,
    count(*) FILTER (NOT from_memo) AS calls,
    coalesce(sum(prompt_tokens) FILTER (NOT from_memo), 0)::BIGINT AS prompt_tokens,
    coalesce(sum(completion_tokens) FILTER (NOT from_memo), 0)::BIGINT AS completion_tokens,
    CASE WHEN count(*) FILTER (NOT from_memo AND cost_usd IS NULL) = 0
         THEN coalesce(sum(cost_usd) FILTER (NOT from_memo), 0) END AS cost_usd
FROM model_calls c
JOIN text_units u ON u.id = c.subject
JOIN documents d ON d.id = u.document_id
GROUP BY ALL;
