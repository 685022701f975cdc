"""The pieces of an answer as they may be shown: without citations of what isn't known."""

import re
from collections.abc import Iterable
from typing import Final

from graphrag_assets.context import keep_known

UNDECIDED: Final = re.compile(r"\s*(?:\[[\sA-Z0-9a-f,;]*)?\Z")  # may yet become a citation


class Checked:
    """Holds back what may become a citation until it is one; then keeps it if it is known.

    What is given out, joined, is `keep_known` of the whole text without white space around it.
    """

    def __init__(self, known: Iterable[str]) -> None:
        """Take the short ids that may be cited."""
        self._known = set(known)
        self._held = ""
        self._begun = False

    def add(self, piece: str) -> str:
        """Take a piece; return what is certain now."""
        self._held += piece
        if not self._begun:
            self._held = self._held.lstrip()
        match = UNDECIDED.search(self._held)
        return self._give(match.start() if match else len(self._held))

    def end(self) -> str:
        """Return what was held back, as no more comes."""
        self._held = self._held.rstrip()
        return self._give(len(self._held))

    def _give(self, end: int) -> str:
        sure, self._held = self._held[:end], self._held[end:]
        self._begun = self._begun or bool(sure)
        return keep_known(sure, self._known)[0]
