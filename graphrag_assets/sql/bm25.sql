-- Text units by BM25 (k1 = 1.2, b = 0.75) for the terms of a question. Of a large corpus only the
-- rarest terms are read, until they have $budget rows: what stands everywhere tells nothing.
WITH frequencies AS (
    SELECT term, count(*) AS df
    FROM text_unit_terms
    WHERE term IN (SELECT unnest($terms::VARCHAR[]))
    GROUP BY term),
chosen AS (
    SELECT term, df FROM frequencies
    QUALIFY sum(df) OVER (ORDER BY df, term) <= $budget OR row_number() OVER (ORDER BY df, term) = 1),
corpus AS (SELECT count(*) AS size, avg(n_tokens) AS mean_length FROM text_units)
SELECT
    u.id,
    sum(ln(1 + (size - df + 0.5) / (df + 0.5)) * n * 2.2
        / (n + 1.2 * (0.25 + 0.75 * u.n_tokens / mean_length))) AS score
FROM text_unit_terms t
JOIN chosen USING (term)
JOIN text_units u ON u.id = t.text_unit_id
CROSS JOIN corpus
GROUP BY u.id
ORDER BY score DESC, u.id
LIMIT $k
