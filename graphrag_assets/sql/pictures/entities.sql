-- How many relationships entities have, in steps that double.
WITH counted AS (
    SELECT CASE WHEN degree < 1 THEN -1 ELSE floor(log2(degree)) END AS step, count(*) AS n
    FROM entities GROUP BY ALL)
SELECT
    '' AS panel,
    CASE WHEN step < 0 THEN '0' WHEN step = 0 THEN '1'
         ELSE (2 ** step)::BIGINT || '–' || (2 ** (step + 1) - 1)::BIGINT END AS label,
    n
FROM counted ORDER BY step
