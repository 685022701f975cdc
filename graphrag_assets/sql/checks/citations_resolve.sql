-- on: report_evidence
-- blocking: yes
-- What a finding cites is part of its report's evidence.
WITH cited AS (
    SELECT community_id, unnest(finding.citations) AS ref_id
    FROM (SELECT community_id, unnest(findings) AS finding FROM community_reports))
SELECT community_id, ref_id FROM cited
WHERE NOT EXISTS (
    FROM report_evidence e
    WHERE e.community_id = cited.community_id AND e.ref_id = cited.ref_id)
