"""What the server itself costs: CPU milliseconds a request, beside the same call in Python.

    python benchmarks/serving.py FOLDER [REQUESTS]

FOLDER holds a published index. Questions are asked once before, so that the memo answers and what
is left is retrieval, citations and HTTP.
"""

import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2

from graphrag_assets.query import Index, browse

QUESTION = "What penalty did Viktor Hale get?"
CLIENTS = 8


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process with all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def measured(label: str, pid: int, requests: int, call: Callable[[], object]) -> None:
    """Print CPU a request and requests a second, asked by several clients at once."""
    call()
    before, start = cpu_seconds(pid), time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda _: call(), range(requests)))
    cpu, wall = cpu_seconds(pid) - before, time.perf_counter() - start
    print(f"{label:<28}{1000 * cpu / requests:8.1f} ms CPU {requests / wall:8.0f} a second")


def in_python(root: str, requests: int) -> None:
    """Print the CPU of the same calls without a server."""
    index = Index.open(root)
    calls = {
        "ask, in Python": lambda: index.ask(QUESTION, method="local"),
        "search, in Python": lambda: index.retrieve(QUESTION, k=10),
        "reports, in Python": lambda: browse.reports(index.reader, level=0, limit=50, offset=0),
    }
    for label, call in calls.items():
        call()
        before = resource.getrusage(resource.RUSAGE_SELF)
        for _ in range(requests):
            call()
        after = resource.getrusage(resource.RUSAGE_SELF)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{label:<28}{1000 * cpu / requests:8.1f} ms CPU")


def over_http(root: str, requests: int) -> None:
    """Print the CPU of the server for each kind of request."""
    command = [sys.executable, "-m", "graphrag_assets.cli", "--root", root, "serve", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+:\d+", server.stderr.readline())[0]
        client = httpx2.Client(base_url=address, timeout=300)
        body = {"question": QUESTION, "method": "local"}
        rpc = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        accept = {"Accept": "application/json, text/event-stream"}
        calls = {
            "GET /health": lambda: client.get("/health"),
            "GET /reports": lambda: client.get("/reports?level=0"),
            "GET /search": lambda: client.get("/search", params={"question": QUESTION}),
            "POST /ask": lambda: client.post("/ask", json=body),
            "POST /ask/stream": lambda: client.post("/ask/stream", json=body),
            "POST /mcp tools/list": lambda: client.post("/mcp", json=rpc, headers=accept),
        }
        for label, call in calls.items():
            measured(label, server.pid, requests, lambda: call().raise_for_status())  # noqa: B023
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    folder, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    in_python(folder, n)
    over_http(folder, n)
