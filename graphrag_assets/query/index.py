"""The index, as questions see it."""

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Final, Self, TypedDict, Unpack

import polars as pl

from graphrag_assets.errors import QuestionError
from graphrag_assets.project import Project
from graphrag_assets.query.answer import Answer
from graphrag_assets.query.asking import Asking
from graphrag_assets.query.engine import Engine, aside, in_order
from graphrag_assets.query.methods import AUTO, METHODS, NAMES
from graphrag_assets.query.question import LONGEST, Question, Turn, checked, known, normal, turns
from graphrag_assets.query.reader import Reader
from graphrag_assets.query.route import choose
from graphrag_assets.query.subtree import community_named
from graphrag_assets.query.suggestions import suggestions

SELECTIONS: Final = ("all", "embedding", "dynamic")


class Options(TypedDict, total=False):
    """How a question is asked; None is the settings' default."""

    method: str | None  # auto, global, local, drift, basic, source, lazy
    level: int | None  # of communities; 0 is the coarsest
    selection: str | None  # which reports a global question reads: all, embedding, dynamic
    history: Iterable[Turn | Answer]  # earlier turns: answers, or pairs of question and answer
    where: str | None  # a filter on documents' metadata
    community: str | None  # an id or its first digits: only its subtree is read


class Index:
    """One published version of an index: safe for many threads and event loops.

    >>> Index.open(".").ask("What are the main themes?").text  # doctest: +SKIP

    What can't be asked in the way of its options raises QuestionError.
    """

    def __init__(self, project: Project, version: int | None) -> None:
        """Open a version of a project's index, the newest by default."""
        self.reader = project.store.opened(Reader, version)
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

    def ask(self, question: str, **options: Unpack[Options]) -> Answer:
        """Answer a question."""
        return self.engine.models.run(self._asking(question, **options).answer())

    async def ask_async(self, question: str, **options: Unpack[Options]) -> Answer:
        """Answer a question, on any event loop."""
        asking = await aside(self._asking, question, **options)
        return await asking.answer()

    def stream(self, question: str, **options: Unpack[Options]) -> Iterator[str | Answer]:
        """Give the text as the model writes it, and at the end the Answer."""
        return self._pieces(self._asking(question, **options))

    async def stream_async(
        self, question: str, **options: Unpack[Options]
    ) -> AsyncIterator[str | Answer]:
        """Give the text as the model writes it, and at the end the Answer, on any event loop."""
        asking = await aside(self._asking, question, **options)
        async with aclosing(asking.stream()) as pieces:
            async for piece in pieces:
                yield piece

    def retrieve(
        self, question: str, *, method: str | None = None, k: int = 10, where: str | None = None
    ) -> pl.DataFrame:
        """Return the text units that a method would read: id, document_id, title, path, score.

        No model is called but the embedding's.
        """
        question = normal(question)[:LONGEST]
        method = known("method", method or self.settings.method, NAMES)
        method = choose(question).method if method == AUTO else method
        engine = self._engine(where)
        ranked = engine.models.run(METHODS[method].rank(engine, question, k))
        scores = pl.DataFrame(ranked, schema={"id": pl.String, "score": pl.Float64}, orient="row")
        places = engine.reader.ask("text_unit_places", ids=scores["id"].to_list())
        return in_order(scores["id"], places).join(scores, on="id", maintain_order="left")

    def suggest(
        self,
        *,
        k: int = 5,
        after: Answer | None = None,
        history: Iterable[Turn | Answer] = (),
    ) -> list[str]:
        """Return questions that one could ask of this corpus; after an answer, ask next."""
        engine = self._engine(None)
        asked = turns((*history, after) if after else history)
        return engine.models.run(suggestions(engine, k, asked))

    def sql(self, query: str) -> pl.DataFrame:
        """Return the rows of a statement that reads; raise SqlError for any other."""
        return self.reader.sql(query)

    def close(self) -> None:
        """Close the file, and the models' connections."""
        self.reader.close()
        self.engine.models.close()

    def __enter__(self) -> Self:
        """Return the index, to be closed at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def _asking(
        self,
        text: str,
        *,
        method: str | None = None,
        level: int | None = None,
        selection: str | None = None,
        history: Iterable[Turn | Answer] = (),
        where: str | None = None,
        community: str | None = None,
    ) -> Asking:
        if level is not None and level < 0:
            raise QuestionError(f"There is no level {level}; 0 is the coarsest.")
        question = Question(
            text=checked(text),
            level=level,
            selection=known("selection", selection, SELECTIONS) if selection else None,
            community=community_named(self.reader, community) if community else None,
            history=turns(history),
        )
        chosen = known("method", method or self.settings.method, NAMES)
        return Asking(self._engine(where), question, chosen)

    def _pieces(self, asking: Asking) -> Iterator[str | Answer]:
        pieces = asking.stream()
        run = self.engine.models.run
        try:
            while (piece := run(anext(pieces, None))) is not None:
                yield piece
        finally:
            run(pieces.aclose())

    def _engine(self, where: str | None) -> Engine:
        """Return the engine of one question: with an account of its own, limited to `where`."""
        return self.engine.apart(self.reader.scoped(where) if where else self.reader)
