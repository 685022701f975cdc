-- From a report to its elements, their text units and documents.
CREATE OR REPLACE VIEW report_lineage AS
SELECT
    e.community_id, r.title AS report_title, e.kind, e.ref_id, e.included, e.via,
    p.text_unit_id, p.document_id, p.path, p.start_char, p.end_char, p.page
FROM report_evidence e
JOIN community_reports r USING (community_id)
JOIN element_places p ON p.kind = e.kind AND p.ref_id = e.ref_id;
