-- How reports are rated.
SELECT '' AS panel, s.rating::VARCHAR AS label, count(r.community_id) AS n
FROM (SELECT unnest(generate_series(0, 10)) AS rating) s
LEFT JOIN community_reports r ON round(r.rating) = s.rating
GROUP BY s.rating ORDER BY s.rating
