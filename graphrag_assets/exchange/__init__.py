"""Other people's formats: a published version -> files, an index made elsewhere -> a version."""
