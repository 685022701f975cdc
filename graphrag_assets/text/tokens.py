"""Count tokens with tiktoken, offline."""

import functools
import importlib.util
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import tiktoken

from graphrag_assets.errors import SettingsError, did_you_mean
from graphrag_assets.settings import TokenEncoding

ENCODINGS = get_args(TokenEncoding)
_LOADING = threading.Lock()
_SLICE = 1 << 16  # characters that are encoded at once
_AT_ONCE = 1000  # short texts


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
        encoding = tiktoken.get_encoding(name)
    encoding._mergeable_ranks = {}  # noqa: SLF001 - 28 MB, read by nothing but its pickling
    return encoding


def count_tokens(text: str, encoding: str) -> int:
    """Return the number of tokens; text that looks like a special token is text."""
    encode = token_encoding(encoding).encode_ordinary
    if len(text) <= _SLICE:
        return len(encode(text))
    return sum(len(encode(part)) for part in _slices(text))


def count_tokens_many(texts: Sequence[str], encoding: str) -> list[int]:
    """Return the number of tokens of each text.

    Many are encoded in one call: each call lets other threads run, and then waits for them.
    """
    parts = (texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE))
    return [count for part in parts for count in _counts(part, encoding)]


def _counts(texts: Sequence[str], encoding: str) -> Iterator[int]:
    """Yield the number of tokens of each text; a special token keeps them apart."""
    encoder = token_encoding(encoding)
    mark = encoder.decode([encoder.eot_token])
    apart = [len(text) > _SLICE or mark in text for text in texts]
    joined = mark.join("" if alone else text for text, alone in zip(texts, apart, strict=True))
    ids = encoder.encode_to_numpy(joined, allowed_special={mark}, disallowed_special=())
    marks = np.flatnonzero(ids == encoder.eot_token)
    counts = np.diff(marks, prepend=-1, append=len(ids)) - 1
    for text, alone, count in zip(texts, apart, counts.tolist(), strict=True):
        yield count_tokens(text, encoding) if alone else count


def _slices(text: str) -> Iterator[str]:
    """Yield bounded pieces, cut before a space if there is one: encoders are superlinear."""
    start = 0
    while len(text) - start > _SLICE:
        space = text.rfind(" ", start + 1, start + _SLICE)
        stop = space if space > start else start + _SLICE
        yield text[start:stop]
        start = stop
    yield text[start:]
