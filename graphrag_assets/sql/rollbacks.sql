-- The versions after one and up to another that have the contents of an older one.
SELECT version, restores FROM index_versions
WHERE version > $since AND version <= $until AND restores IS NOT NULL
ORDER BY version
