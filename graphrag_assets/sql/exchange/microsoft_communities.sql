-- Communities in Microsoft GraphRAG's columns, numbered from the coarsest level down.
WITH numbered AS (
    SELECT *, row_number() OVER (ORDER BY level, id) - 1 AS community FROM communities),
children AS (
    SELECT parent_id, list(community ORDER BY community) AS children
    FROM numbered WHERE parent_id IS NOT NULL GROUP BY ALL),
members AS (
    SELECT community_id, list(entity_id ORDER BY entity_id) AS entity_ids
    FROM community_members GROUP BY ALL),
inner_relationships AS (
    SELECT s.community_id, r.id
    FROM relationships r
    JOIN community_members s ON s.entity_id = r.source_id
    JOIN community_members t ON t.entity_id = r.target_id AND t.community_id = s.community_id),
relations AS (
    SELECT community_id, list(id ORDER BY id) AS relationship_ids
    FROM inner_relationships GROUP BY ALL),
units AS (
    SELECT i.community_id, list(DISTINCT text_unit_id ORDER BY text_unit_id) AS text_unit_ids
    FROM inner_relationships i
    JOIN element_places p ON p.kind = 'relationship' AND p.ref_id = i.id
    GROUP BY ALL)
SELECT
    c.id, c.community AS human_readable_id, c.community, c.level,
    coalesce(p.community, -1) AS parent,
    coalesce(children, []) AS children,
    'Community ' || c.community AS title,
    coalesce(entity_ids, []) AS entity_ids,
    coalesce(relationship_ids, []) AS relationship_ids,
    coalesce(text_unit_ids, []) AS text_unit_ids,
    (SELECT strftime(max(created_at), '%Y-%m-%d') FROM index_versions) AS period,
    c.size
FROM numbered c
LEFT JOIN numbered p ON p.id = c.parent_id
LEFT JOIN children ON children.parent_id = c.id
LEFT JOIN members m ON m.community_id = c.id
LEFT JOIN relations r ON r.community_id = c.id
LEFT JOIN units u ON u.community_id = c.id
ORDER BY c.community
