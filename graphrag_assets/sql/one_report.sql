-- A whole report, with its community.
SELECT
    r.community_id AS id, r.level, r.title, r.summary, r.findings, r.rating, r.rating_explanation,
    r.full_content, r.status, r.reason, r.model, r.refreshed_in,
    c.parent_id, c.size AS n_entities, c.n_relationships
FROM community_reports r JOIN communities c ON c.id = r.community_id
WHERE r.community_id = $id
