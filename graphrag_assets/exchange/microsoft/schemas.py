"""The tables of Microsoft GraphRAG 3 (graphrag.data_model.schemas): names, types, citations."""

import re

import pyarrow as pa

TEXT, INT, FLOAT = pa.large_string(), pa.int64(), pa.float64()
IDS = pa.list_(pa.field("element", pa.string()))
NUMBERS = pa.list_(pa.field("element", pa.int64()))
FINDINGS = pa.list_(
    pa.field("element", pa.struct({"explanation": pa.string(), "summary": pa.string()}))
)
KEY = {"id": TEXT, "human_readable_id": INT}
SCHEMAS = {
    "documents": pa.schema(
        KEY
        | {"title": TEXT, "text": TEXT, "text_unit_ids": IDS}
        | {"creation_date": TEXT, "raw_data": TEXT}
    ),
    "text_units": pa.schema(
        KEY
        | {"text": TEXT, "n_tokens": INT, "document_id": TEXT}
        | {"entity_ids": IDS, "relationship_ids": IDS, "covariate_ids": IDS}
    ),
    "entities": pa.schema(
        KEY
        | {"title": TEXT, "type": TEXT, "description": TEXT}
        | {"text_unit_ids": IDS, "frequency": INT, "degree": INT}
    ),
    "relationships": pa.schema(
        KEY
        | {"source": TEXT, "target": TEXT, "description": TEXT}
        | {"weight": FLOAT, "combined_degree": INT, "text_unit_ids": IDS}
    ),
    "communities": pa.schema(
        KEY
        | {"community": INT, "level": INT, "parent": INT, "children": NUMBERS, "title": TEXT}
        | {"entity_ids": IDS, "relationship_ids": IDS, "text_unit_ids": IDS}
        | {"period": TEXT, "size": INT}
    ),
    "community_reports": pa.schema(
        KEY
        | {"community": INT, "level": INT, "parent": INT, "children": NUMBERS, "title": TEXT}
        | {"summary": TEXT, "full_content": TEXT, "rank": FLOAT, "rating_explanation": TEXT}
        | {"findings": FINDINGS, "full_content_json": TEXT, "period": TEXT, "size": INT}
    ),
    "covariates": pa.schema(
        KEY
        | {"covariate_type": TEXT, "type": TEXT, "description": TEXT}
        | {"subject_id": TEXT, "object_id": TEXT, "status": TEXT}
        | {"start_date": TEXT, "end_date": TEXT, "source_text": TEXT, "text_unit_id": TEXT}
    ),
}
OPTIONAL = frozenset({"covariates"})  # written only where claims are extracted

# Reports cite rows by number: [Data: Entities (5, 7); Relationships (23, +more)]
CITATION = re.compile(r"\s*\[Data:\s*([^\[\]]{1,2000})\]")
DATASET = re.compile(r"(\w+)\s*\(([^()]*)\)")
DATASETS = {
    "entity": "Entities",
    "relationship": "Relationships",
    "claim": "Claims",
    "report": "Reports",
    "text_unit": "Sources",
}
