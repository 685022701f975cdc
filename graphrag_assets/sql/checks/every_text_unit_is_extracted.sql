-- on: extractions
-- blocking: yes
-- Every text unit has one outcome.
SELECT id AS text_unit_id FROM text_units
WHERE id NOT IN (SELECT text_unit_id FROM extractions)
