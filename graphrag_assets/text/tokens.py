"""Count tokens with tiktoken, offline."""

import functools
import importlib.util
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import tiktoken

from graphrag_assets.errors import SettingsError, did_you_mean
from graphrag_assets.settings import TokenEncoding

ENCODINGS = get_args(TokenEncoding)
_LOADING = threading.Lock()
_SLICE = 1 << 16  # characters that are encoded at once


@functools.cache
def token_encoding(name: str) -> tiktoken.Encoding:
    """Return an encoding without the network; an unknown name is a SettingsError."""
    if name not in ENCODINGS:
        problem = f"encoding `{name}` is none of {', '.join(ENCODINGS)}."
        raise SettingsError("[text_units]", [problem + did_you_mean(name, ENCODINGS)])
    litellm = importlib.util.find_spec("litellm")  # found, not imported: importing takes seconds
    with _LOADING:
        if litellm is not None and litellm.origin is not None:
            carried = Path(litellm.origin).parent / "litellm_core_utils" / "tokenizers"
            # tiktoken takes the folder from the environment alone; litellm sets it to the same.
            os.environ["TIKTOKEN_CACHE_DIR"] = str(carried)
        return tiktoken.get_encoding(name)


def count_tokens(text: str, encoding: str) -> int:
    """Return the number of tokens; text that looks like a special token is text."""
    encode = token_encoding(encoding).encode_ordinary
    if len(text) <= _SLICE:
        return len(encode(text))
    return sum(len(encode(part)) for part in _slices(text))


def count_tokens_many(texts: Sequence[str], encoding: str) -> list[int]:
    """Return the number of tokens of each text."""
    return [count_tokens(text, encoding) for text in texts]


def _slices(text: str) -> Iterator[str]:
    """Yield bounded pieces, cut before a space if there is one: encoders are superlinear."""
    start = 0
    while len(text) - start > _SLICE:
        space = text.rfind(" ", start + 1, start + _SLICE)
        stop = space if space > start else start + _SLICE
        yield text[start:stop]
        start = stop
    yield text[start:]
