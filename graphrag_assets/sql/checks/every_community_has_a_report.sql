-- on: community_reports
-- blocking: yes
-- Every community has a report, or a row that says why not.
SELECT id AS community_id FROM communities
WHERE id NOT IN (SELECT community_id FROM community_reports)
