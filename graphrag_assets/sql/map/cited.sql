-- Relationships and claims that some reports cite, by the marker they are cited with.
WITH markers AS (
    SELECT DISTINCT unnest(regexp_extract_all(
        full_content || ' ' || summary, '\b[RC][0-9a-f]{8}\b')) AS marker
    FROM community_reports WHERE community_id IN (SELECT unnest($ids::VARCHAR[])))
SELECT
    marker, r.id, s.title || ' — ' || t.title AS title, r.description AS about, NULL AS quote
FROM markers
JOIN relationships r ON left(marker, 1) = 'R' AND left(r.id, 8) = substr(marker, 2)
JOIN entities s ON s.id = r.source_id
JOIN entities t ON t.id = r.target_id
UNION ALL
SELECT marker, c.id, c.type, c.description, c.quote
FROM markers JOIN claims c ON left(marker, 1) = 'C' AND left(c.id, 8) = substr(marker, 2)
ORDER BY marker
