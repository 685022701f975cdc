-- Where relationships and claims are mentioned. Where entities are is known: the graph has it.
SELECT relationship_id AS ref_id, text_unit_id FROM relationship_mentions
WHERE relationship_id IN (SELECT unnest($keys::VARCHAR[]))
UNION ALL
SELECT id, text_unit_id FROM claims WHERE id IN (SELECT unnest($keys::VARCHAR[]))
