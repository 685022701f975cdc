// Loads this export of graphrag-assets into Neo4j 5.23 or newer.
//
// Copy the folder's .csv files into Neo4j's import folder, then
//     cypher-shell -u neo4j -p PASSWORD -f load.cypher
// In Neo4j Browser put `:auto` before each LOAD CSV. Running it again adds nothing twice.
// The files are quoted as Neo4j reads them by default (dbms.import.csv.legacy_quote_escaping=true).

CREATE CONSTRAINT document_id IF NOT EXISTS FOR (n:Document) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT text_unit_id IF NOT EXISTS FOR (n:TextUnit) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT claim_id IF NOT EXISTS FOR (n:Claim) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT community_id IF NOT EXISTS FOR (n:Community) REQUIRE n.id IS UNIQUE;
CREATE INDEX entity_title IF NOT EXISTS FOR (n:Entity) ON (n.title);

LOAD CSV WITH HEADERS FROM 'file:///documents.csv' AS row
CALL (row) {
  MERGE (n:Document {id: row.id})
  SET n.path = row.path, n.title = row.title, n.n_tokens = toInteger(row.n_tokens)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///text_units.csv' AS row
CALL (row) {
  MATCH (d:Document {id: row.document_id})
  MERGE (n:TextUnit {id: row.id})
  SET n.text = row.text, n.ordinal = toInteger(row.ordinal),
      n.start_char = toInteger(row.start_char), n.end_char = toInteger(row.end_char)
  MERGE (n)-[:PART_OF]->(d)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///entities.csv' AS row
CALL (row) {
  MERGE (n:Entity {id: row.id})
  SET n.title = row.title, n.type = row.type, n.description = row.description,
      n.n_mentions = toInteger(row.n_mentions), n.n_documents = toInteger(row.n_documents),
      n.degree = toInteger(row.degree)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///mentions.csv' AS row
CALL (row) {
  MATCH (u:TextUnit {id: row.text_unit_id}), (e:Entity {id: row.entity_id})
  MERGE (u)-[:MENTIONS]->(e)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///relationships.csv' AS row
CALL (row) {
  MATCH (a:Entity {id: row.source_id}), (b:Entity {id: row.target_id})
  MERGE (a)-[r:RELATED_TO {id: row.id}]->(b)
  SET r.description = row.description, r.weight = toFloat(row.weight),
      r.strength = toFloat(row.strength)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///claims.csv' AS row
CALL (row) {
  MATCH (s:Entity {id: row.subject_id}), (u:TextUnit {id: row.text_unit_id})
  MERGE (n:Claim {id: row.id})
  SET n.type = row.type, n.status = row.status, n.description = row.description,
      n.start_date = row.start_date, n.end_date = row.end_date, n.quote = row.quote
  MERGE (n)-[:ABOUT]->(s)
  MERGE (n)-[:MADE_IN]->(u)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///communities.csv' AS row
CALL (row) {
  MERGE (n:Community {id: row.id})
  SET n.level = toInteger(row.level), n.size = toInteger(row.size), n.title = row.title,
      n.summary = row.summary, n.report = row.full_content, n.rating = toFloat(row.rating)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///communities.csv' AS row
CALL (row) {
  MATCH (n:Community {id: row.id}), (p:Community {id: row.parent_id})
  MERGE (n)-[:PART_OF]->(p)
} IN TRANSACTIONS OF 1000 ROWS;

LOAD CSV WITH HEADERS FROM 'file:///members.csv' AS row
CALL (row) {
  MATCH (c:Community {id: row.community_id}), (e:Entity {id: row.entity_id})
  MERGE (e)-[:IN_COMMUNITY]->(c)
} IN TRANSACTIONS OF 1000 ROWS;
