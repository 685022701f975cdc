"""Files -> documents: find, decode, take out the text and what they say of themselves."""

from graphrag_assets.readers.corpus import Corpus, read_corpus
from graphrag_assets.readers.discovery import list_files
from graphrag_assets.readers.summary import corpus_summary, summary_lines

__all__ = ["Corpus", "corpus_summary", "list_files", "read_corpus", "summary_lines"]
