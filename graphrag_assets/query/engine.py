"""What every method of answering uses: the index, the models, a budget."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import polars as pl

from graphrag_assets.context import LINE_TOKENS, Item, distinct, pack, render
from graphrag_assets.errors import ModelCallError
from graphrag_assets.models.client import Models, Outcome, Request
from graphrag_assets.prompts import Prompts, language_name
from graphrag_assets.query.answer import Final, Known
from graphrag_assets.query.reader import Reader, Vector
from graphrag_assets.settings import QuerySettings
from graphrag_assets.text import count_tokens_many, language

R = TypeVar("R")
aside = asyncio.to_thread  # reads and arithmetic: the event loop has other questions to serve


@dataclass(frozen=True)
class Engine:
    """One version of an index with the models that answer from it."""

    reader: Reader
    models: Models
    prompts: Prompts
    settings: QuerySettings
    encoding: str

    def apart(self, reader: Reader) -> "Engine":
        """Return this engine for one question: with an account of its own."""
        return replace(self, reader=reader, models=self.models.apart())

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

    def final(self, prompt: str, question: str, items: Iterable[Item], **about: Any) -> Final:  # noqa: ANN401
        """Return the call that writes an answer from these rows."""
        items = distinct(items)
        request: Request[str] = self.request(prompt, question, None, context=render(items))
        return Final(request, known_items(items), **about)

    def items(self, kind: str, rows: pl.DataFrame) -> list[Item]:
        """Return rows (id, text) as items of a context."""
        texts = rows["text"].to_list()
        counts = count_tokens_many(texts, self.encoding)
        return [
            Item(kind, ref, text, count + LINE_TOKENS)
            for ref, text, count in zip(rows["id"], texts, counts, strict=True)
        ]

    def passages(self, ids: Sequence[str], budget: int) -> list[Item]:
        """Return text units as items, in this order, as many as fit."""
        return pack(self.items("text_unit", self.ranked("passage_texts", ids)), budget)

    def ranked(self, statement: str, ids: Sequence[str]) -> pl.DataFrame:
        """Return the rows of sql/STATEMENT.sql for ids, in the order of the ids."""
        order = pl.DataFrame({"id": list(ids)}, schema={"id": pl.String})
        rows = self.reader.ask(statement, ids=list(ids))
        return order.join(rows, on="id", how="inner", maintain_order="left")


def known_items(items: Iterable[Item]) -> Known:
    """Return what an answer may cite of these items: by short id, kind, id and title."""
    return {item.marker: (item.kind, item.id, first_line(item)) for item in items}


def first_line(item: Item) -> str:
    """Return an item's title: its text up to the first line or colon."""
    return item.text.partition("\n")[0].partition(": ")[0]
