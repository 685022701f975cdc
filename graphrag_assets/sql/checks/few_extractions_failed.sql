-- on: extractions
-- blocking: yes
-- No more text units failed than extraction.max_failed allows.
SELECT status, count(*) AS text_units, any_value(reason) AS reason
FROM extractions
WHERE status = 'failed'
GROUP BY status
HAVING count(*) > $max_failed * (SELECT count(*) FROM extractions)
