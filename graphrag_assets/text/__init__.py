"""Text as data: normalise, count tokens, find sentences and search terms, split into text units."""

from graphrag_assets.text.plain import (
    cleaned,
    content_id,
    csp_source,
    is_blank,
    language,
    normalise,
    sha256,
    shortened,
    terms,
)
from graphrag_assets.text.sentences import sentences
from graphrag_assets.text.splitting import Span, split
from graphrag_assets.text.tables import HeaderRows, header_rows
from graphrag_assets.text.tokens import count_tokens, count_tokens_many, token_encoding

__all__ = [
    "HeaderRows",
    "Span",
    "cleaned",
    "content_id",
    "count_tokens",
    "count_tokens_many",
    "csp_source",
    "header_rows",
    "is_blank",
    "language",
    "normalise",
    "sentences",
    "sha256",
    "shortened",
    "split",
    "terms",
    "token_encoding",
]
