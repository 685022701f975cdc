"""What would a run take? The pipeline itself, on a copy of the index, with models that decline.

Whatever the memo answers is known, so what is still to be asked about known texts is exact. What
follows from answers that nobody has yet is a range: from this project's own calls and tables where
there are any, else from rules of thumb that were measured on other corpora (docs/OPERATIONS.md).
"""

import math
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import polars as pl

from graphrag_assets.models.client import Models
from graphrag_assets.models.declining import DecliningModels
from graphrag_assets.models.memo import Memo
from graphrag_assets.models.transport import Ask
from graphrag_assets.project import Project
from graphrag_assets.settings import ModelSettings
from graphrag_assets.store import Store
from graphrag_assets.text import count_tokens

FIRST: Final = "extract_graph"
NEXT: Final = "continue_extraction"
CLAIMS: Final = "extract_claims"
TRIAL: Final = "estimate"
COUNTED: Final = ("documents", "text_units", "entities", "relationships", "communities")
STAGES: Final = ("extraction", "claims", "description", "report", "embedding")
UNTRIED: Final = {"layout"}  # asks nobody
AROUND: Final = 4  # tokens around each message
BATCH: Final = 32  # texts of one embedding call
ENOUGH: Final = 20  # calls or text units of one's own from which they are the rule


@dataclass(frozen=True)
class Span:
    """From, to."""

    low: float = 0
    high: float = 0

    def __add__(self, other: "Span") -> "Span":
        """Add the ends."""
        return Span(self.low + other.low, self.high + other.high)

    def __mul__(self, other: "Span | float") -> "Span":
        """Multiply the ends, with those of another or with a number."""
        by = other if isinstance(other, Span) else Span(other, other)
        return Span(self.low * by.low, self.high * by.high)


# Rules for what this project hasn't shown yet. Per text unit that is new:
SUMMARIES: Final = Span(0, 0.3)
ELEMENTS: Final = Span(7, 18)  # entities and relationships
REPORTS: Final = Span(0.25, 1.6)  # where a community has at most ten members …
POWER: Final = -0.48  # … and a third of that where it may have a hundred
# Of the communities that were there, times the share of new text units:
RENEWED: Final = Span(1, 6)
# Tokens:
OUTPUT: Final = {
    "check_extraction": Span(1, 1),
    "extract_claims": Span(50, 600),
    "summarize_description": Span(150, 300),
    "community_report": Span(300, 1200),
}
EXTRACTED: Final = Span(0.5, 5)  # of the text unit, in the first round: much of it is JSON
MISSED: Final = Span(0.1, 0.5)  # in each further one
SUMMARY_INPUT: Final = Span(600, 3000)
REPORT_INPUT: Final = Span(0.1, 0.6)  # of the context's budget
NAMES: Final = Span(10, 80)  # in a claims prompt
ELEMENT: Final = Span(25, 60)  # title and description
SECONDS: Final = Span(2, 4)


@dataclass(frozen=True)
class Stage:
    """What one stage would take."""

    name: str
    model: str
    calls: Span
    known: int  # calls that the memo answers
    tokens_in: Span
    tokens_out: Span
    cost_usd: Span | None  # None = the price is unknown
    minutes: Span


@dataclass(frozen=True)
class Estimate:
    """What a run would take; its stages follow each other."""

    documents: int
    text_units: int
    new: int  # distinct text units that were never read
    stages: tuple[Stage, ...]

    @property
    def total(self) -> Stage:
        """The sum; its cost is unknown if that of any call is."""
        costs = [stage.cost_usd for stage in self.stages if stage.calls.high]
        known = [cost for cost in costs if cost is not None]
        sums = {
            part.name: _sum(getattr(stage, part.name) for stage in self.stages)
            for part in fields(Stage)
            if part.type is Span
        }
        return Stage(
            name="total",
            model="",
            known=sum(stage.known for stage in self.stages),
            cost_usd=_sum(known) if len(known) == len(costs) else None,
            **sums,
        )


@dataclass(frozen=True)
class Work:
    """Calls to make, and their tokens."""

    calls: Span = Span()
    tokens_in: Span = Span()
    tokens_out: Span = Span()

    def __add__(self, other: "Work") -> "Work":
        """Add work."""
        return Work(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
        )


def estimate(project: Project) -> Estimate:
    """Return what a run would take; nothing is asked, and nothing of the project is changed."""
    with tempfile.TemporaryDirectory() as folder:
        trial = _trial(project, Path(folder))
        models = trial.models
        assert isinstance(models, DecliningModels)
        try:
            return _Estimator(trial, models, project.models, _past(trial)).estimate()
        finally:
            models.close()


def _trial(project: Project, folder: Path) -> Project:
    """Return the project with a copy of its index, and models that only the memo answers for."""
    store = Store(folder / "index", folder / "graphrag.duckdb")
    store.work.parent.mkdir(parents=True)
    if project.store.work.exists():
        with project.store.connect(read_only=True):  # no writer while the file is copied
            shutil.copyfile(project.store.work, store.work)
    url = project.settings.store.memo
    path = project.store.folder / "memo.sqlite"
    memo = Memo(url or path) if url or path.exists() else Memo.none()
    trial = Project(project.root, project.settings)
    models = DecliningModels(project.settings.models, memo=memo)
    vars(trial).update(store=store, models=models)  # instead of the cached properties
    return trial


def _past(trial: Project) -> pl.DataFrame:
    """Return the calls that this project made with the models it has now."""
    calls = trial.store.read("model_calls")["model_calls"]
    now = {trial.models.model(task) for task in STAGES}
    return calls.filter(~pl.col("from_memo"), pl.col("status") == "ok", pl.col("model").is_in(now))


def minutes(work: Work, seconds: Span, chosen: ModelSettings) -> Span:
    """Return how long calls of so many seconds take at a model's limits, whichever is tightest."""
    tokens = work.tokens_in + work.tokens_out
    ways = (
        work.calls * seconds * (1 / 60 / chosen.concurrency),
        work.calls * (1 / chosen.rpm if chosen.rpm else 0),
        tokens * (1 / chosen.tpm if chosen.tpm else 0),
    )
    return Span(max(way.low for way in ways), max(way.high for way in ways))


def _sum(spans: Iterable[Span]) -> Span:
    return sum(spans, Span())


@dataclass(frozen=True)
class Growth:
    """What new text units bring, before anybody has read them."""

    new: int
    distinct: int
    sizes: Mapping[str, int]
    largest: int

    @property
    def share(self) -> float:
        """The share of the distinct text units that is new."""
        return self.new / self.distinct if self.distinct else 0

    def each(self, rows: int, rule: Span) -> Span:
        """Return how many of something a new text unit brings: here so far, else by rule."""
        read = self.distinct - self.new
        own = rows / read if read else 0
        return Span(own / 2, own) if read >= ENOUGH and own else rule

    @property
    def summaries(self) -> Span:
        """Descriptions to summarise."""
        return SUMMARIES * self.new

    @property
    def elements(self) -> Span:
        """Entities and relationships to embed."""
        there = self.sizes["entities"] + self.sizes["relationships"]
        return self.each(there, ELEMENTS) * self.new

    @property
    def reports(self) -> Span:
        """Reports to write: of new communities, and of those that new text units change."""
        there = self.sizes["communities"]
        rule = REPORTS * (self.largest / 10) ** POWER
        changed = RENEWED * (self.share * there)
        renewed = Span(*(min(there, count) for count in (changed.low, changed.high)))
        return self.each(there, rule) * self.new + renewed


@dataclass(frozen=True)
class _Estimator:
    """Tries the pipeline, and adds what its unanswered questions would lead to."""

    trial: Project
    models: DecliningModels
    prices: Models
    past: pl.DataFrame

    def estimate(self) -> Estimate:
        """Return the estimate."""
        known = self._try()
        tables = self.trial.store.read(*COUNTED)
        sizes = {name: frame.height for name, frame in tables.items()}
        asked = {task: [ask for ask in self.models.asked if ask.task == task] for task in STAGES}
        first = [ask for ask in asked["extraction"] if ask.prompt == FIRST]
        distinct = tables["text_units"]["sha256"].n_unique()
        largest = self.trial.settings.communities.max_community_size
        growth = Growth(len(first), distinct, sizes, largest)
        reading = self.trial.settings.reports.context_tokens
        later = {
            "extraction": self._gleanings(first),
            "claims": self._claims(first),
            "description": self._work("summarize_description", growth.summaries, SUMMARY_INPUT),
            "report": self._work("community_report", growth.reports, REPORT_INPUT * reading),
        }
        work = {name: self._asked(asked[name]) + more for name, more in later.items()}
        work["embedding"] = self._embedding(growth.elements + work["report"].calls)
        stages = (self._stage(name, work[name], known.get(name, 0)) for name in STAGES)
        return Estimate(sizes["documents"], sizes["text_units"], len(first), tuple(stages))

    def _try(self) -> Mapping[str, int]:
        """Run the pipeline on the copy; return how many calls of each task the memo answered."""
        from graphrag_assets.database import IndexDatabase  # Dagster, which takes a second
        from graphrag_assets.definitions import PIPELINE
        from graphrag_assets.warehouse import Step

        database = IndexDatabase(database=str(self.trial.store.work))
        for asset in PIPELINE:
            if asset.name not in UNTRIED:
                step = Step(asset, self.trial, database, TRIAL, asset.recipe(self.trial))
                for _ in step.materialise():
                    pass
        calls = self.trial.store.read("model_calls")["model_calls"]
        mine = calls.filter(pl.col("run_id") == TRIAL, pl.col("from_memo"))
        return dict(mine.group_by("task").len().iter_rows())

    def _asked(self, asks: Sequence[Ask]) -> Work:
        """Return the work of requests that are known to the word."""
        work = Work()
        for prompt in sorted({ask.prompt for ask in asks}):
            sizes = [self._tokens(ask) for ask in asks if ask.prompt == prompt]
            count = Span(len(sizes), len(sizes))
            texts = [ask.messages[-1].content for ask in asks if ask.prompt == prompt]
            mean = sum(map(self._count, texts)) / len(texts)
            output = self._seen(prompt, "completion_tokens") or OUTPUT.get(
                prompt, (EXTRACTED if prompt == FIRST else MISSED) * mean
            )
            work += Work(count, Span(sum(sizes), sum(sizes)), output * count)
        return work

    def _gleanings(self, first: Sequence[Ask]) -> Work:
        """Return the work of further rounds: each shows the conversation so far."""
        rounds = self.trial.settings.extraction.gleanings
        if not first or not rounds:
            return Work()
        unit = sum(self._count(ask.messages[-1].content) for ask in first)
        shown = sum(map(self._tokens, first))
        question = self._count(self.trial.prompts.text(NEXT)) + AROUND
        said = self._seen(FIRST, "completion_tokens") or EXTRACTED * (unit / len(first))
        more = self._seen(NEXT, "completion_tokens") or MISSED * (unit / len(first))
        work = Work()
        for number in range(rounds):
            calls = Span(len(first) if number == 0 else 0, len(first))
            shares = Span(calls.low / len(first), calls.high / len(first))
            tokens = Span(shown, shown) + (said + Span(question, question)) * len(first)
            work += Work(calls, tokens * shares, more * calls)
            if number:  # asked before whether there is anything left
                work += Work(calls, tokens * shares, calls)
            said += more
        return work

    def _claims(self, first: Sequence[Ask]) -> Work:
        if not self.trial.settings.extraction.claims:
            return Work()
        unit = sum(self._count(ask.messages[-1].content) for ask in first)
        prompt = self._count(self.trial.prompts.text(CLAIMS))
        known = unit + prompt * len(first)
        tokens = Span(known, known) + NAMES * len(first)
        count = Span(len(first), len(first))
        output = self._seen(CLAIMS, "completion_tokens") or OUTPUT[CLAIMS]
        return Work(count, tokens, output * count)

    def _work(self, prompt: str, calls: Span, size: Span) -> Work:
        """Return the work of calls of which only the number is guessed."""
        around = self._count(self.trial.prompts.text(prompt))
        each = self._seen(prompt, "prompt_tokens") or size + Span(around, around)
        output = self._seen(prompt, "completion_tokens") or OUTPUT[prompt]
        return Work(calls, each * calls, output * calls)

    def _embedding(self, more: Span) -> Work:
        """Return the work of embedding the texts that are known, and those that will come."""
        texts = self.models.texts
        tokens = sum(map(self._count, texts))
        count = Span(len(texts), len(texts)) + more
        return Work(count * (1 / BATCH), Span(tokens, tokens) + ELEMENT * more)

    def _stage(self, task: str, work: Work, known: int) -> Stage:
        chosen = self.trial.settings.models.for_task(task)
        return Stage(
            name=task,
            model=chosen.model,
            calls=Span(math.ceil(work.calls.low), math.ceil(work.calls.high)),
            known=known,
            tokens_in=work.tokens_in,
            tokens_out=work.tokens_out,
            cost_usd=self._cost(task, work),
            minutes=minutes(work, self._seconds(task), chosen),
        )

    def _cost(self, task: str, work: Work) -> Span | None:
        if not work.calls.high:
            return Span()
        price, tokens = self.prices.price, (work.tokens_in, work.tokens_out)
        low = price(task, *(round(span.low) for span in tokens))
        high = price(task, *(round(span.high) for span in tokens))
        return None if low is None or high is None else Span(low, high)

    def _seconds(self, task: str) -> Span:
        """Return how long a call of a task takes; up to half of what was seen was waiting."""
        seen = self.past.filter(pl.col("task") == task)["seconds"]
        middle = seen.quantile(0.5) if seen.len() >= ENOUGH else None
        return SECONDS if middle is None else Span(middle / 2, middle)

    def _seen(self, prompt: str, column: str) -> Span | None:
        """Return the middle half of what calls of a prompt took here; None if there were few."""
        seen = self.past.filter(pl.col("prompt") == prompt)[column]
        if seen.len() < ENOUGH:
            return None
        return Span(float(seen.quantile(0.25) or 0), float(seen.quantile(0.75) or 0))

    def _tokens(self, ask: Ask) -> int:
        return sum(self._count(message.content) + AROUND for message in ask.messages)

    def _count(self, text: str) -> int:
        return count_tokens(text, self.trial.settings.text_units.encoding)
