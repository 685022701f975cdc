-- on: extractions
-- blocking: no
-- Every text unit was answered: none failed, refused, filtered or cut.
SELECT status, count(*) AS text_units, any_value(reason) AS reason
FROM extractions
WHERE status NOT IN ('ok', 'empty')
GROUP BY status
