-- The tables of an index, as far as they are in scope.
CREATE VIEW documents AS
FROM whole.documents WHERE id IN (SELECT id FROM in_scope WHERE kind = 'document');
CREATE VIEW files AS
FROM whole.files WHERE path IN (SELECT path FROM documents);
CREATE VIEW text_units AS
FROM whole.text_units WHERE id IN (SELECT id FROM in_scope WHERE kind = 'text_unit');
CREATE VIEW text_unit_terms AS
FROM whole.text_unit_terms
WHERE text_unit_id IN (SELECT id FROM in_scope WHERE kind = 'text_unit');
CREATE VIEW extractions AS
FROM whole.extractions WHERE text_unit_id IN (SELECT id FROM in_scope WHERE kind = 'text_unit');
CREATE VIEW entity_aliases AS
FROM whole.entity_aliases WHERE entity_id IN (SELECT id FROM in_scope WHERE kind = 'entity');
CREATE VIEW names AS
FROM whole.names n
WHERE EXISTS (FROM in_scope s WHERE s.kind = n.kind AND s.id = n.ref_id);
CREATE VIEW entity_mentions AS
FROM whole.entity_mentions
WHERE text_unit_id IN (SELECT id FROM in_scope WHERE kind = 'text_unit');
CREATE VIEW relationship_mentions AS
FROM whole.relationship_mentions
WHERE text_unit_id IN (SELECT id FROM in_scope WHERE kind = 'text_unit');
CREATE VIEW entities AS
SELECT e.* REPLACE (coalesce(s.said, e.description) AS description)
FROM whole.entities e JOIN in_scope s ON s.kind = 'entity' AND s.id = e.id;
CREATE VIEW relationships AS
SELECT r.* REPLACE (coalesce(s.said, r.description) AS description)
FROM whole.relationships r JOIN in_scope s ON s.kind = 'relationship' AND s.id = r.id;
CREATE VIEW claims AS
FROM whole.claims WHERE id IN (SELECT id FROM in_scope WHERE kind = 'claim');
CREATE VIEW community_members AS
FROM whole.community_members
WHERE entity_id IN (SELECT id FROM in_scope WHERE kind = 'entity');
CREATE VIEW communities AS
FROM whole.communities WHERE id IN (SELECT community_id FROM community_members);
CREATE VIEW community_reports AS
FROM whole.community_reports
WHERE community_id IN (SELECT id FROM in_scope WHERE kind = 'report');
CREATE VIEW report_evidence AS
FROM whole.report_evidence
WHERE community_id IN (SELECT id FROM in_scope WHERE kind = 'report');
CREATE VIEW text_unit_embeddings AS
FROM whole.text_unit_embeddings WHERE id IN (SELECT id FROM in_scope WHERE kind = 'text_unit');
CREATE VIEW document_embeddings AS
FROM whole.document_embeddings WHERE id IN (SELECT id FROM in_scope WHERE kind = 'document');
CREATE VIEW entity_embeddings AS
FROM whole.entity_embeddings WHERE id IN (SELECT id FROM in_scope WHERE kind = 'entity');
CREATE VIEW relationship_embeddings AS
FROM whole.relationship_embeddings
WHERE id IN (SELECT id FROM in_scope WHERE kind = 'relationship');
CREATE VIEW report_embeddings AS
FROM whole.report_embeddings WHERE id IN (SELECT id FROM in_scope WHERE kind = 'report');
CREATE VIEW layout AS
FROM whole.layout l WHERE EXISTS (FROM in_scope s WHERE s.kind = l.kind AND s.id = l.id);
