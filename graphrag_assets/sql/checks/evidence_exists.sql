-- on: report_evidence
-- blocking: yes
-- What a report rests on exists.
SELECT kind, ref_id FROM report_evidence
WHERE (kind = 'entity' AND ref_id NOT IN (SELECT id FROM entities))
   OR (kind = 'relationship' AND ref_id NOT IN (SELECT id FROM relationships))
   OR (kind = 'claim' AND ref_id NOT IN (SELECT id FROM claims))
   OR (kind = 'report' AND ref_id NOT IN (SELECT id FROM communities))
