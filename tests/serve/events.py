"""Server-Sent Events, read as a client does."""

import json
from collections.abc import Iterable, Iterator
from typing import Any


def events(lines: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Give (event, data) for each event of a stream; comments are left out."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if line and name:
            fields[name] = value
        elif not line and "data" in fields:
            yield fields["event"], json.loads(fields["data"])
            fields = {}
