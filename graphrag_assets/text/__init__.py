"""Text as data: normalise, count tokens, find sentences and search terms, split into text units."""

from graphrag_assets.text.plain import content_id, language, normalise, sha256, terms
from graphrag_assets.text.sentences import sentences
from graphrag_assets.text.splitting import Span, split
from graphrag_assets.text.tokens import count_tokens, count_tokens_many, token_encoding

__all__ = [
    "Span",
    "content_id",
    "count_tokens",
    "count_tokens_many",
    "language",
    "normalise",
    "sentences",
    "sha256",
    "split",
    "terms",
    "token_encoding",
]
