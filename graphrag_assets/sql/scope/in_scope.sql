-- What a filter of documents leaves: everything with a passage in a `chosen` document, and the
-- reports all of whose elements are left. `said` is what the passages that are left say about an
-- element of which others are not; NULL where its description can stay.
CREATE TABLE in_scope AS
WITH text_units AS (
    SELECT id FROM whole.text_units WHERE document_id IN (SELECT id FROM chosen)),
mentions AS (
    SELECT 'entity' AS kind, entity_id AS id, text_unit_id, description
    FROM whole.entity_mentions
    UNION ALL
    SELECT 'relationship', relationship_id, text_unit_id, description
    FROM whole.relationship_mentions
    UNION ALL
    SELECT 'claim', id, text_unit_id, NULL FROM whole.claims),
elements AS (
    SELECT
        m.kind, m.id, count(u.id) AS n, count(*) > count(u.id) AS partly,
        string_agg(DISTINCT description, ' ' ORDER BY description)
            FILTER (u.id IS NOT NULL) AS said
    FROM mentions m LEFT JOIN text_units u ON u.id = m.text_unit_id
    WHERE m.id IS NOT NULL
    GROUP BY m.kind, m.id
    HAVING n > 0),
ends AS (
    SELECT unnest([source_id, target_id]) AS id FROM whole.relationships
    WHERE id IN (SELECT id FROM elements WHERE kind = 'relationship'))
SELECT 'document' AS kind, id, NULL AS said FROM chosen
UNION ALL
SELECT 'text_unit', id, NULL FROM text_units
UNION ALL
SELECT kind, id, CASE WHEN partly THEN coalesce(said, '') END FROM elements
UNION ALL
SELECT DISTINCT 'entity', id, '' FROM ends
WHERE id NOT IN (SELECT id FROM elements WHERE kind = 'entity')
UNION ALL
SELECT 'report', e.community_id, NULL
FROM whole.report_evidence e LEFT JOIN elements l ON l.kind = e.kind AND l.id = e.ref_id
WHERE e.kind <> 'report' AND e.included
GROUP BY e.community_id
HAVING count(*) = count(l.id)
