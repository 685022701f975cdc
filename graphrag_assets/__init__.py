"""GraphRAG as Dagster assets in DuckDB."""
