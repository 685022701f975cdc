"""The index, as questions see it."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import polars as pl

from graphrag_assets.context import cited, keep_known
from graphrag_assets.errors import QuestionError, did_you_mean
from graphrag_assets.models.ledger import Call
from graphrag_assets.project import Project
from graphrag_assets.query import basic_search, global_search, local_search
from graphrag_assets.query.answer import Answer, Draft, Usage, resolve
from graphrag_assets.query.engine import Engine
from graphrag_assets.query.graph import Ranked
from graphrag_assets.query.reader import Reader
from graphrag_assets.query.route import choose
from graphrag_assets.text import language

Method = Literal["auto", "global", "local", "basic"]
METHODS: tuple[str, ...] = get_args(Method)
SILENT = {"zh": "文档中没有提到。", "en": "The documents don't say."}
RANKS: dict[str, Callable[[Engine, str, int], Coroutine[None, None, Ranked]]] = {
    "global": global_search.rank,
    "local": local_search.rank,
    "basic": basic_search.rank,
}


class Index:
    """One published version of an index.

    >>> Index.open(".").ask("What are the main themes?").text  # doctest: +SKIP
    """

    def __init__(self, project: Project, version: int | None) -> None:
        """Open a version of a project's index, the newest by default."""
        self.reader = Reader(project.store.published(version))
        self.settings = project.settings.query
        self.engine = Engine(
            reader=self.reader,
            models=project.models,
            prompts=project.prompts,
            settings=self.settings,
            encoding=project.settings.text_units.encoding,
        )

    @classmethod
    def open(cls, root: Path | str = ".", *, version: int | None = None) -> "Index":
        """Open the index of the project in a folder; raise NoIndexError if there is none."""
        return cls(Project.open(Path(root)), version)

    @property
    def version(self) -> int:
        """The version that is read."""
        return self.reader.version

    def ask(self, question: str, *, method: str | None = None, level: int | None = None) -> Answer:
        """Answer a question; raise QuestionError if it can't be asked this way."""
        return self.engine.models.run(self.ask_async(question, method=method, level=level))

    async def ask_async(
        self, question: str, *, method: str | None = None, level: int | None = None
    ) -> Answer:
        """Answer a question, as a coroutine of the models' own event loop."""
        question, method = self._checked(question, method)
        level = self.settings.level if level is None else level
        self.engine.models.drain()
        draft = await self._draft(question, method, level)
        return self._answer(question, draft, method)

    def retrieve(self, question: str, *, method: str | None = None, k: int = 10) -> pl.DataFrame:
        """Return the text units that a method would read: id, document_id, title, path, score.

        No model is called but the embedding's.
        """
        question, method = self._checked(question, method)
        ranked = self.engine.models.run(RANKS[method](self.engine, question, k))
        scores = pl.DataFrame(ranked, schema={"id": pl.String, "score": pl.Float64}, orient="row")
        return self.engine.ranked("text_unit_places", scores["id"].to_list()).join(
            scores, on="id", maintain_order="left"
        )

    def sql(self, statement: str) -> pl.DataFrame:
        """Return the rows of a statement that reads; raise SqlError for any other."""
        return self.reader.rows(statement)

    def close(self) -> None:
        """Close the file."""
        self.reader.close()

    def _checked(self, question: str, method: str | None) -> tuple[str, str]:
        question = question.strip()
        method = method or self.settings.method
        if not question:
            raise QuestionError("The question is empty.")
        if method not in METHODS:
            hint = did_you_mean(method, METHODS)
            raise QuestionError(f"No method `{method}`; there are {', '.join(METHODS)}.{hint}")
        return question, choose(question) if method == "auto" else method

    async def _draft(self, question: str, method: str, level: int) -> Draft:
        if method == "global":
            return await global_search.answer(self.engine, question, level)
        answer = local_search.answer if method == "local" else basic_search.answer
        return await answer(self.engine, question)

    def _answer(self, question: str, draft: Draft, method: str) -> Answer:
        text, dropped = keep_known(draft.text, draft.known)
        draft = replace(draft, text=text)
        if draft.status == "no_evidence":
            text = SILENT.get(language(question), SILENT["en"])
        used = [draft.known[marker] for marker in cited(text)]
        reports = [ref for kind, ref, _ in used if kind == "report"]
        elements: dict[str, list[str]] = {}
        for report, ref in self.reader.ask("cited_elements", ids=reports).iter_rows():
            elements.setdefault(report, []).append(ref)
        refs = [ref for _, ref, _ in used] + [ref for found in elements.values() for ref in found]
        passages = self.reader.ask("passages", ids=sorted(set(refs)))
        return Answer(
            text=text,
            citations=resolve(draft, passages, elements),
            context=tuple(ref for _, ref, _ in draft.known.values()),
            usage=usage(self.engine.models.drain()),
            method=method,
            level=draft.level,
            index_version=self.version,
            status=draft.status,
            reason=draft.reason,
            dropped_citations=dropped,
        )


def usage(calls: list[Call]) -> Usage:
    """Return what these calls took."""
    paid = [call for call in calls if not call.from_memo]
    costs = [call.cost_usd for call in paid]
    return Usage(
        calls=len(paid),
        memo_hits=len(calls) - len(paid),
        prompt_tokens=sum(call.prompt_tokens for call in paid),
        completion_tokens=sum(call.completion_tokens for call in paid),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
    )
