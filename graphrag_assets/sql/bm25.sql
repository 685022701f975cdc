-- Text units by BM25 (k1 = 1.2, b = 0.75) for the terms of a question. Of a large corpus only the
-- rarest terms are read, until they have $budget rows: what stands everywhere tells nothing; and
-- only the lengths of the $likely that would come first if all were equally long.
WITH frequencies AS (
    SELECT term, count(*) AS df
    FROM text_unit_terms
    WHERE term IN (SELECT unnest($terms::VARCHAR[]))
    GROUP BY term),
corpus AS MATERIALIZED (SELECT count(*) AS size, avg(n_tokens) AS mean_length FROM text_units),
chosen AS MATERIALIZED (
    SELECT term, ln(1 + (size - df + 0.5) / (df + 0.5)) AS idf
    FROM frequencies CROSS JOIN corpus
    QUALIFY sum(df) OVER (ORDER BY df, term) <= $budget OR row_number() OVER (ORDER BY df, term) = 1),
matches AS MATERIALIZED (
    SELECT text_unit_id AS id, n, idf FROM text_unit_terms JOIN chosen USING (term)),
likely AS MATERIALIZED (
    SELECT id FROM matches GROUP BY id ORDER BY sum(idf * n * 2.2 / (n + 1.2)) DESC, id LIMIT $likely),
lengths AS MATERIALIZED (
    SELECT id, 1.2 * (0.25 + 0.75 * n_tokens / mean_length) AS length
    FROM text_units CROSS JOIN corpus
    WHERE id IN (SELECT id FROM likely))
SELECT id, sum(idf * n * 2.2 / (n + length)) AS score
FROM lengths JOIN matches USING (id)
GROUP BY id
ORDER BY score DESC, id
LIMIT $k
