"""What every method of answering uses: the index, the models, a budget."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from graphrag_assets.context import LINE_TOKENS, Item, pack, render
from graphrag_assets.errors import ModelCallError
from graphrag_assets.models.client import Models, Outcome, Request
from graphrag_assets.prompts import Prompts, language_name
from graphrag_assets.query.reader import Reader
from graphrag_assets.query.vectors import Vector
from graphrag_assets.settings import QuerySettings
from graphrag_assets.text import count_tokens_many, language


@dataclass(frozen=True)
class Engine:
    """One version of an index with the models that answer from it."""

    reader: Reader
    models: Models
    prompts: Prompts
    settings: QuerySettings
    encoding: str

    async def embed(self, question: str) -> Vector:
        """Return the question's unit vector; raise ModelCallError if it can't be embedded."""
        (vector,) = await self.models.embed([question])
        if vector is None:
            raise ModelCallError(
                f"The question can't be embedded by {self.models.model('embedding')}."
            )
        found = np.asarray(vector, np.float32)
        return found / max(float(np.linalg.norm(found)), 1e-9)

    async def write(self, prompt: str, question: str, items: Iterable[Item]) -> Outcome[str]:
        """Ask a prompt for a text about the question from these rows."""
        messages = self.prompts.render(
            prompt,
            question=question,
            context=render(items),
            language=language_name(language(question)),
        )
        return await self.models.chat(Request("query", prompt, messages, schema=None))

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


def first_line(item: Item) -> str:
    """Return an item's title: its text up to the first line or colon."""
    return item.text.partition("\n")[0].partition(": ")[0]
