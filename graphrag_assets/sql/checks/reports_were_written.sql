-- on: community_reports
-- blocking: no
-- Every report was written: none failed, refused, filtered or cut.
SELECT status, count(*) AS reports, any_value(reason) AS reason
FROM community_reports
WHERE status NOT IN ('ok', 'stale')
GROUP BY status
