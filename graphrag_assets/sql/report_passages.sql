-- The text units that a report rests on, with how many of its elements each mentions.
SELECT l.path, l.page, u.start_char, u.end_char, u.text, count(DISTINCT l.ref_id) AS elements
FROM report_lineage l JOIN text_units u ON u.id = l.text_unit_id
WHERE l.community_id = $id AND l.included
GROUP BY ALL
ORDER BY elements DESC, l.path, u.start_char
