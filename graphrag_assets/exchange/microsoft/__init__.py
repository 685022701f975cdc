"""Microsoft GraphRAG 3: its tables from ours, and ours from its."""
