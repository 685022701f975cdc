"""`graphrag-assets index` in a process of its own, with the scripted model.

    python tests/scripted_index.py ROOT LOG SECONDS

Each question takes SECONDS and is a line of LOG, written when it is asked: what was paid for.
"""

import asyncio
import sys
from pathlib import Path

from graphrag_assets.models import client
from graphrag_assets.models.scripted import ScriptedTransport
from graphrag_assets.models.transport import Answer, Ask
from graphrag_assets.project import silent
from graphrag_assets.run import run_index
from graphrag_assets.text import sha256
from small_corpus import reply_to


class Slow(ScriptedTransport):
    """A model that takes its time, and writes down what it is asked."""

    def __init__(self, log: Path, seconds: float) -> None:
        """Take the log, and the seconds that a question takes."""
        super().__init__(reply_to)
        self.log, self.seconds = log, seconds

    async def chat(self, ask: Ask) -> Answer:
        """Answer, slowly."""
        with self.log.open("a", encoding="utf-8") as file:
            file.write(f"{ask.prompt} {sha256(repr(ask.messages))}\n")
        await asyncio.sleep(self.seconds)
        return await super().chat(ask)


if __name__ == "__main__":
    root, log = map(Path, sys.argv[1:3])
    slow = Slow(log, float(sys.argv[3]))
    client.LitellmTransport = lambda: slow
    run_index(root, silent)
