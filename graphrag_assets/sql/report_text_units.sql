-- The text units that reports rest on, with the share of a report's mentions in each.
SELECT
    community_id AS id, text_unit_id AS unit,
    count(*) / sum(count(*)) OVER (PARTITION BY community_id) AS share
FROM report_lineage
WHERE community_id IN (SELECT unnest($ids::VARCHAR[]))
GROUP BY ALL
ORDER BY ALL
