"""What every method of answering uses: the index, the models, a budget."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate
from typing import TypeVar

import numpy as np
import polars as pl

from graphrag_assets.context import HEADING_TOKENS, Item, Markers, pack, render
from graphrag_assets.errors import ModelCallError
from graphrag_assets.models.client import Models, Outcome, Request
from graphrag_assets.prompts import Prompts, language_name
from graphrag_assets.query.answer import Draft, Final, Known
from graphrag_assets.query.lookups import Row
from graphrag_assets.query.reader import Reader
from graphrag_assets.query.vectors import Vector
from graphrag_assets.settings import QuerySettings
from graphrag_assets.text import count_tokens, language

R = TypeVar("R")
MARKER_TOKENS = 20  # most that a row's marker takes
LOOKED_AT = 2  # budgets of passages whose tokens are counted: a long one may be skipped
COUNTED = 4_000  # lines whose tokens are remembered: some ten MB
AT_ONCE = 20  # passages; more are read only where these are short
aside = asyncio.to_thread  # reads and arithmetic: the event loop has other questions to serve


@dataclass(frozen=True)
class Engine:
    """One version of an index with the models that answer from it."""

    reader: Reader
    models: Models
    prompts: Prompts
    settings: QuerySettings
    encoding: str
    markers: Markers = field(default_factory=Markers)

    def apart(self, reader: Reader) -> "Engine":
        """Return this engine for one question: with an account and short ids of its own."""
        return replace(self, reader=reader, models=self.models.apart(), markers=Markers())

    async def embed(self, question: str) -> Vector:
        """Return the question's unit vector; raise ModelCallError if it can't be embedded."""
        (vector,) = await self.models.embed([question])
        if vector is None:
            raise ModelCallError(
                f"The question can't be embedded by {self.models.model('embedding')}."
            )
        found = np.asarray(vector, np.float32)
        return found / max(float(np.linalg.norm(found)), 1e-9)

    def request(
        self,
        prompt: str,
        question: str,
        schema: type[R] | None,
        *,
        task: str = "query",
        **data: str,
    ) -> Request[R]:
        """Return a call of a prompt that is answered in the question's language."""
        values = {"question": question, "language": language_name(language(question)), **data}
        wanted = self.prompts.variables(prompt)
        messages = self.prompts.render(prompt, **{k: v for k, v in values.items() if k in wanted})
        return Request(task, prompt, messages, schema=schema)

    async def call(
        self, prompt: str, question: str, schema: type[R], *, task: str = "query", **data: str
    ) -> Outcome[R]:
        """Ask a prompt for a structured reply."""
        return await self.models.chat(self.request(prompt, question, schema, task=task, **data))

    def final(
        self, prompt: str, question: str, items: Sequence[Item], known: Known
    ) -> Draft | Final:
        """Return the call that writes an answer from these rows; without any is no evidence."""
        if not items:
            return Draft("", known, "no_evidence")
        request: Request[str] = self.request(prompt, question, None, context=render(items))
        return Final(request, known)

    def items(self, kind: str, rows: Iterable[Row]) -> list[Item]:
        """Return rows (id, text) as items of a context."""
        return self.sized(self.markers.distinct(Item(kind, ref, text, 0) for ref, text in rows))

    def reports(self, ids: Iterable[str]) -> list[Item]:
        """Return whole reports, in this order, as items of a context."""
        rows = self.reader.look_up("report_texts", ids)
        items = (Item("report", ref, text, n + MARKER_TOKENS) for ref, text, n in rows)
        return self.markers.distinct(items)

    def text_units(self, ids: Iterable[str]) -> list[Item]:
        """Return whole text units, in this order, as items of a context."""
        return self.items("text_unit", [(u.id, u.told) for u in self.reader.passages(ids)])

    def sized(self, items: Sequence[Item]) -> list[Item]:
        """Return items with the tokens of their lines in a prompt."""
        lines = ((item, f"[{item.marker}] {item.text}\n") for item in items)
        return [replace(item, n_tokens=_tokens(line, self.encoding)) for item, line in lines]

    def passages(self, ids: Sequence[str], budget: int) -> list[Item]:
        """Return text units as items, in this order, as many as fit."""
        items = self.items("text_unit", self.passage_rows(ids, budget))
        return pack(items, budget - HEADING_TOKENS)

    def passage_rows(self, ids: Sequence[str], budget: int) -> list[Row]:
        """Return text units (id, text), in this order: more than fit, as long ones are skipped."""
        units = self.reader.passages(ids[:AT_ONCE])
        if sum(unit.n_tokens for unit in units) < LOOKED_AT * budget:
            units += self.reader.passages(ids[AT_ONCE:])
        before = accumulate((unit.n_tokens for unit in units), initial=0)
        return [
            (unit.id, unit.told)
            for unit, tokens in zip(units, before, strict=False)
            if tokens <= LOOKED_AT * budget
        ]


@lru_cache(maxsize=COUNTED)
def _tokens(line: str, encoding: str) -> int:
    """Return a line's tokens: much of what one question reads, the next ones read again."""
    return count_tokens(line, encoding)


def in_order(ids: Iterable[str], rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with these ids, in the order of the ids."""
    order = pl.DataFrame({"id": list(ids)}, schema={"id": pl.String})
    return order.join(rows, on="id", how="inner", maintain_order="left")
