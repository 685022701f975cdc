-- What each asset asked of models, run by run.
CREATE OR REPLACE VIEW cost_by_asset AS
SELECT
    run_id, asset, model,
    count(*) FILTER (NOT from_memo) AS calls,
    count(*) FILTER (from_memo) AS memo_hits,
    coalesce(sum(prompt_tokens) FILTER (NOT from_memo), 0)::BIGINT AS prompt_tokens,
    coalesce(sum(completion_tokens) FILTER (NOT from_memo), 0)::BIGINT AS completion_tokens,
    CASE WHEN count(*) FILTER (NOT from_memo AND cost_usd IS NULL) = 0
         THEN coalesce(sum(cost_usd) FILTER (NOT from_memo), 0) END AS cost_usd,
    max(created_at) AS last_call
FROM model_calls
GROUP BY ALL;
