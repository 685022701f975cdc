-- The text units that reports rest on, with the share of a report's mentions in each. Where entities
-- are mentioned is known: the graph has it.
WITH evidence AS MATERIALIZED (
    SELECT community_id, kind, ref_id FROM report_evidence
    WHERE community_id IN (SELECT unnest($ids::VARCHAR[]))),
known AS (SELECT unnest($mentioned::VARCHAR[]) AS entity_id, unnest($units::VARCHAR[]) AS text_unit_id),
mentions AS (
    SELECT community_id, kind, ref_id, text_unit_id
    FROM known JOIN evidence ON kind = 'entity' AND ref_id = entity_id
    UNION
    SELECT community_id, kind, ref_id, text_unit_id
    FROM relationship_mentions JOIN evidence ON kind = 'relationship' AND ref_id = relationship_id
    UNION
    SELECT community_id, kind, ref_id, text_unit_id
    FROM claims JOIN evidence ON kind = 'claim' AND ref_id = id),
counted AS (
    SELECT community_id AS id, text_unit_id AS unit, count(*) AS n
    FROM mentions
    GROUP BY ALL)
SELECT id, unit, n / sum(n) OVER (PARTITION BY id) AS share
FROM counted
ORDER BY ALL
