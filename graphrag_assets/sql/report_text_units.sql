-- The text units that reports rest on, with the share of a report's mentions in each.
WITH mentions AS (
    SELECT community_id AS id, text_unit_id AS unit, count(*) AS n
    FROM report_lineage
    WHERE community_id IN (SELECT unnest($ids::VARCHAR[]))
    GROUP BY ALL)
SELECT id, unit, n / sum(n) OVER (PARTITION BY id) AS share
FROM mentions
ORDER BY ALL
