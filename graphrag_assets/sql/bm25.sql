-- Text units by BM25 (k1 = 1.2, b = 0.75) for the terms of a question.
WITH hits AS (
    SELECT term, text_unit_id, n, count(*) OVER (PARTITION BY term) AS df
    FROM text_unit_terms
    WHERE term IN (SELECT unnest($terms::VARCHAR[]))),
corpus AS (SELECT count(*) AS size, avg(n_tokens) AS mean_length FROM text_units)
SELECT
    u.id,
    sum(ln(1 + (size - df + 0.5) / (df + 0.5)) * n * 2.2
        / (n + 1.2 * (0.25 + 0.75 * u.n_tokens / mean_length))) AS score
FROM hits JOIN text_units u ON u.id = text_unit_id CROSS JOIN corpus
GROUP BY u.id
ORDER BY score DESC, u.id
LIMIT $k
