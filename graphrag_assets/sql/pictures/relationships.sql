-- In how many texts relationships stand, in steps that double.
WITH counted AS (
    SELECT CASE WHEN weight < 1 THEN -1 ELSE floor(log2(weight)) END AS step, count(*) AS n
    FROM relationships GROUP BY ALL)
SELECT
    '' AS panel,
    CASE WHEN step < 0 THEN 'below 1' WHEN step = 0 THEN '1'
         ELSE (2 ** step)::BIGINT || '–' || (2 ** (step + 1) - 1)::BIGINT END AS label,
    n
FROM counted ORDER BY step
