-- What a run asked of models.
SELECT
    coalesce(sum(calls), 0)::BIGINT AS calls,
    coalesce(sum(memo_hits), 0)::BIGINT AS memo_hits,
    coalesce(sum(prompt_tokens), 0)::BIGINT AS prompt_tokens,
    coalesce(sum(completion_tokens), 0)::BIGINT AS completion_tokens,
    CASE WHEN count(*) = count(cost_usd) THEN coalesce(sum(cost_usd), 0) END AS cost_usd
FROM cost_by_asset
WHERE run_id = $run
