-- How large communities are at each level, in steps that double.
WITH counted AS (
    SELECT level, floor(log2(greatest(size, 1))) AS step, count(*) AS n
    FROM communities GROUP BY ALL)
SELECT
    'C' || level AS panel,
    CASE WHEN step = 0 THEN '1'
         ELSE (2 ** step)::BIGINT || '–' || (2 ** (step + 1) - 1)::BIGINT END AS label,
    n
FROM counted ORDER BY level, step
