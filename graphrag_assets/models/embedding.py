"""Texts -> vectors: each text once, in batches, every vector looked at before it is believed."""

import asyncio
import base64
import binascii
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from graphrag_assets.errors import ModelCallError, ModelStoppedError
from graphrag_assets.models import background, memo
from graphrag_assets.models.calls import EMBEDDING, Caller
from graphrag_assets.models.dialect import estimate_tokens
from graphrag_assets.models.faults import ProviderError, public
from graphrag_assets.models.ledger import Ledger, Tally
from graphrag_assets.models.recall import Recall
from graphrag_assets.models.transport import Vectors

Vector = npt.NDArray[np.float32]
Flight = asyncio.Future[dict[str, Vector]]  # the vectors of some texts, once they are there
LOG: Final = logging.getLogger(__name__)
BATCH_TOKENS: Final = 50_000
TRIES_OF_A_BATCH: Final = 2  # a text that breaks the server breaks it again: look for it
SHORTEST_HALF: Final = 50
URL_SAFE: Final = str.maketrans("-_", "+/")


@dataclass
class Embedder:
    """Embeds texts with one model."""

    caller: Caller
    recall: Recall[Any]
    ledger: Ledger
    flying: dict[str, Flight]  # what is being looked up or embedded, by key

    @property
    def model(self) -> str:
        """Return the model's name."""
        return self.caller.settings.model

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return a vector per text; None where the model gives no usable one.

        A text that somebody else is having embedded right now is waited for, not asked for again.
        """
        keys = {text: memo.vector_key(self.model, text) for text in texts if text.strip()}
        theirs = {text: self.flying[key] for text, key in keys.items() if key in self.flying}
        mine = {text: key for text, key in keys.items() if text not in theirs}
        vectors = await self._embed(mine)
        if theirs:
            vectors |= await self._awaited(theirs)
        return [vectors.get(text) for text in texts]

    async def _embed(self, keys: Mapping[str, str]) -> dict[str, Vector]:
        """Look texts up, have the others embedded, and tell who waits for either."""
        flight: Flight = asyncio.get_running_loop().create_future()
        self.flying |= dict.fromkeys(keys.values(), flight)
        vectors: dict[str, Vector] = {}
        try:
            start = time.monotonic()
            found = await self.recall.find_many(list(keys.values()))
            if found:
                self._note(Tally(), time.monotonic() - start, "ok", from_memo=True)
            vectors |= {t: memo.unpack_vector(found[k]) for t, k in keys.items() if k in found}
            missing = [text for text, key in keys.items() if key not in found]
            jobs = [
                partial(self._batch, part) for part in batches(missing, self.caller.dialect.batch)
            ]
            workers = self.caller.settings.concurrency
            for answers in await background.gather(jobs, workers=workers, progress=None):
                vectors |= answers
        finally:
            for key in keys.values():
                del self.flying[key]
            flight.set_result(vectors)
        return vectors

    async def _awaited(self, flights: Mapping[str, Flight]) -> dict[str, Vector]:
        """Return what others embed; what they failed to is asked for once more."""
        start = time.monotonic()
        await asyncio.wait(set(flights.values()))
        vectors = {t: flight.result()[t] for t, flight in flights.items() if t in flight.result()}
        if vectors:
            self._note(Tally(), time.monotonic() - start, "ok", from_memo=True)
        left = [text for text in flights if text not in vectors]
        again = zip(left, await self.embed(left), strict=True) if left else ()
        return vectors | {text: row for text, row in again if row is not None}

    async def _batch(self, texts: tuple[str, ...]) -> dict[str, Vector]:
        tally, start, status = Tally(), time.monotonic(), "stopped"
        try:
            rows = await self._vectors(texts, tally)
            good = {text: row for text, row in zip(texts, rows, strict=True) if row is not None}
            await self._check_dimension(good)
            status = "ok" if len(good) == len(texts) else "failed"
        finally:
            self._note(tally, time.monotonic() - start, status, from_memo=False)
        await self.recall.store(
            {memo.vector_key(self.model, text): memo.pack_vector(row) for text, row in good.items()}
        )
        return good

    async def _vectors(self, texts: tuple[str, ...], tally: Tally) -> list[Vector | None]:
        """Embed a batch; where it fails or is incomplete, its halves, down to the one bad text."""
        try:
            answer = await self.caller.embed(texts, tally, TRIES_OF_A_BATCH)
        except (ProviderError, ModelCallError) as error:
            return await self._parts(texts, tally, error)
        rows = rows_of(answer, len(texts))
        if rows is None:
            words = f"{len(answer.rows)} vectors came for {len(texts)} texts"
            return await self._parts(texts, tally, ProviderError("bad", words))
        if len(texts) > 1:
            for position, row in enumerate(rows):
                if row is None:
                    (rows[position],) = await self._vectors((texts[position],), tally)
        elif rows[0] is None:
            tally.reason = "its vector isn't finite, or all zero"
        return rows

    async def _parts(
        self, texts: tuple[str, ...], tally: Tally, error: Exception
    ) -> list[Vector | None]:
        middle = len(texts) // 2
        if middle:
            left = await self._vectors(texts[:middle], tally)
            return left + await self._vectors(texts[middle:], tally)
        if isinstance(error, ProviderError) and error.kind == "context":
            return [await self._averaged(texts[0], tally)]
        LOG.warning("No vector for %r…: %s", texts[0][:40], error)
        tally.reason = error.reason if isinstance(error, ProviderError) else str(error)
        return [None]

    async def _averaged(self, text: str, tally: Tally) -> Vector | None:
        """Return the mean of the vectors of a too long text's halves, weighted by their length."""
        halves = split_in_two(text)
        if min(map(len, halves)) < SHORTEST_HALF:
            LOG.warning("No vector for %r…: too long for %s", text[:40], self.model)
            tally.reason = f"too long for {self.model}"
            return None
        LOG.info("%r… is too long for %s: its parts are averaged.", text[:40], self.model)
        rows = [(await self._vectors((half,), tally))[0] for half in halves]
        weights = [float(len(half)) for half in halves]
        kept = [(row, weight) for row, weight in zip(rows, weights, strict=True) if row is not None]
        if len(kept) < len(halves):
            return None
        mean = np.average([row for row, _ in kept], axis=0, weights=[weight for _, weight in kept])
        return np.asarray(mean, dtype=np.float32)

    async def _check_dimension(self, vectors: dict[str, Vector]) -> None:
        """Stop if the model now gives other dimensions than it gave before, in any run."""
        dialect = self.caller.dialect
        for row in vectors.values():
            if dialect.dimension is None:
                dialect.dimension = await self._known_dimension(len(row))
            expected = dialect.dimension
            if len(row) != expected:
                words = f"it gives {len(row)} dimensions where it gave {expected} before"
                raise ModelStoppedError(self.model, public(self.caller.settings.api_base), words)

    async def _known_dimension(self, given: int) -> int:
        key = memo.dimension_key(self.model)
        await self.recall.store({key: memo.pack(given)})  # what stands there already stays
        stored = await self.recall.find_many([key])
        return int(memo.unpack(stored[key]))

    def _note(self, tally: Tally, seconds: float, status: str, *, from_memo: bool) -> None:
        self.ledger.note(
            task=EMBEDDING,
            prompt=EMBEDDING,
            subject="",
            model=self.model,
            tally=tally,
            seconds=seconds,
            status=status,
            from_memo=from_memo,
        )


def batches(texts: Sequence[str], most: int) -> Iterator[tuple[str, ...]]:
    """Cut texts into batches that providers take: so many texts, so many tokens."""
    batch: list[str] = []
    tokens = 0
    for text in texts:
        size = estimate_tokens(text)
        if batch and (len(batch) >= most or tokens + size > BATCH_TOKENS):
            yield tuple(batch)
            batch, tokens = [], 0
        batch.append(text)
        tokens += size
    if batch:
        yield tuple(batch)


def rows_of(answer: Vectors, count: int) -> list[Vector | None] | None:
    """Return the vectors in the order of their texts; None if they can't be told apart."""
    if sorted(position for position, _ in answer.rows) != list(range(count)):
        return None
    return [decoded(value) for _, value in sorted(answer.rows, key=lambda row: row[0])]


def decoded(value: Sequence[float] | str) -> Vector | None:
    """Return a vector from numbers or base64; None if it isn't finite or says nothing."""
    try:
        row = _numbers(value)
    except (TypeError, ValueError, OverflowError, binascii.Error):
        return None
    if row.ndim > 1 and row.size == row.shape[-1]:  # a list around it
        row = row.reshape(-1)
    return row if row.ndim == 1 and 0 < np.dot(row, row) < np.inf else None


def _numbers(value: Sequence[float] | str) -> Vector:
    if isinstance(value, str):
        plain = (value.translate(URL_SAFE) if "-" in value or "_" in value else value).rstrip("=")
        data = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        return np.frombuffer(data, "<f4").astype(np.float32, copy=False)
    with np.errstate(over="ignore"):
        return np.asarray(value, dtype=np.float32)


def split_in_two(text: str) -> tuple[str, str]:
    """Cut a text at the space nearest behind its middle."""
    middle = len(text) // 2
    space = text.find(" ", middle)
    cut = space if 0 <= space < len(text) - len(text) // 4 else middle
    return text[:cut], text[cut:].lstrip()
