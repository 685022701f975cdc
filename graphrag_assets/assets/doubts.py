"""Names that letters alone can't tell apart -> what a model says of them, in batches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from graphrag_assets.models.client import Models, Request
from graphrag_assets.models.replies import SameNames
from graphrag_assets.prompts import Prompts
from graphrag_assets.resolution import Doubt

AT_ONCE = 20  # pairs of one call
TASK = "extraction"  # the model that read the names


@dataclass(frozen=True)
class Judge:
    """Asks a model which pairs of names are the same. A call that fails decides nothing."""

    models: Models
    prompts: Prompts
    progress: Callable[[int, int], None]

    def decide(self, doubts: Sequence[Doubt]) -> list[bool]:
        """Return for each pair whether it is the same thing."""
        parts = [doubts[start : start + AT_ONCE] for start in range(0, len(doubts), AT_ONCE)]
        jobs = [partial(self._ask, part) for part in parts]
        answers = self.models.map(jobs, progress=lambda done: self.progress(done, len(jobs)))
        return [verdict for answer in answers for verdict in answer]

    async def _ask(self, doubts: Sequence[Doubt]) -> list[bool]:
        lines = (f"{n}. {doubt.one} | {doubt.other}" for n, doubt in enumerate(doubts, 1))
        messages = self.prompts.render("resolve_entities", pairs="\n".join(lines))
        outcome = await self.models.chat(
            Request(TASK, "resolve_entities", messages, SameNames, subject=doubts[0].one)
        )
        same = set(outcome.reply.same) if outcome.reply else set()
        return [number in same for number in range(1, len(doubts) + 1)]
