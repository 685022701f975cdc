"""Questions over a published index."""

from graphrag_assets.query.answer import Answer, Citation, Passage
from graphrag_assets.query.index import Index

__all__ = ["Answer", "Citation", "Index", "Passage"]
