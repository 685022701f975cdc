-- Reports that are kept although a little of what they rest on has changed.
SELECT title, reason FROM community_reports WHERE status = 'stale' ORDER BY title, community_id
