-- What the reports rest on, with the short id by which they cite it.
SELECT DISTINCT
    kind, ref_id,
    CASE kind WHEN 'entity' THEN 'E' WHEN 'relationship' THEN 'R' WHEN 'claim' THEN 'C' ELSE 'P' END || left(ref_id, 8)
FROM report_evidence
WHERE community_id IN (SELECT unnest($ids::VARCHAR[]))
ORDER BY ALL
