"""Files -> documents: find, decode, take out the text and what they say of themselves."""

from graphrag_assets.readers.corpus import Corpus, read_corpus

__all__ = ["Corpus", "read_corpus"]
