-- How long text units are: tokens, in twenty steps.
WITH step AS (SELECT greatest(1, ceil((max(n_tokens) + 1) / 20))::BIGINT AS size FROM text_units),
steps AS (SELECT unnest(generate_series(0, 19)) * size AS low, size FROM step)
SELECT '' AS panel, low::VARCHAR AS label, count(u.id) AS n
FROM steps LEFT JOIN text_units u ON u.n_tokens >= low AND u.n_tokens < low + size
GROUP BY low ORDER BY low
