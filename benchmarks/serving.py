"""What the server costs and how many it serves: requests a second, waiting times, CPU.

    python benchmarks/serving.py FOLDER [--requests 200] [--clients 1,8,32]

FOLDER holds a published index. Asks GET /health, and POST /ask with local questions about its
entities that nobody asked before, so that its models answer each of them: offline ones, or a
stand-in whose delay is known. Prints, by the number of clients that ask at once, requests a
second, the waiting time of half and of 95 in a hundred, and the CPU of the server a request. Last
comes the same question once more, which the memo answers, beside the same call in Python.
"""

import argparse
import itertools
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import numpy as np

from graphrag_assets.query import Index

TITLES = "SELECT title FROM entities ORDER BY degree DESC, id LIMIT 2000"
NOW = time.strftime("%Y-%m-%d %H:%M:%S")  # no other run asked the same


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process with all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def measured(label: str, pid: int, clients: int, requests: int, call: Callable[[], object]) -> None:
    """Print how requests fare that several clients make at once."""

    def timed(_: int) -> float:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    before, start = cpu_seconds(pid), time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        waited = np.array(list(pool.map(timed, range(requests)))) * 1000
    cpu, wall = cpu_seconds(pid) - before, time.perf_counter() - start
    p50, p95 = np.percentile(waited, [50, 95])
    print(
        f"{label:<22}{clients:>8}{requests / wall:>12.1f}{p50:>9.0f}{p95:>9.0f}"
        f"{1000 * cpu / requests:>9.1f}",
        flush=True,
    )


def over_http(root: Path, titles: list[str], clients: list[int], requests: int) -> None:
    """Print what the server does for each number of clients."""
    command = [sys.executable, "-m", "graphrag_assets.cli", "--root", str(root), "serve"]
    server = subprocess.Popen([*command, "--port", "0"], stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+:\d+", server.stderr.readline())[0]
        limits = httpx2.Limits(max_connections=max(clients))
        client = httpx2.Client(base_url=address, timeout=300, limits=limits)
        numbers = itertools.count()

        def ask(question: str) -> None:
            body = {"question": question, "method": "local"}
            client.post("/ask", json=body).raise_for_status()

        def ask_anew() -> None:
            number = next(numbers)
            ask(f"What did {titles[number % len(titles)]} do? Asked {NOW}, number {number}.")

        ask_anew()
        ask(titles[0])
        print(f"{'':<22}{'clients':>8}{'a second':>12}{'p50 ms':>9}{'p95 ms':>9}{'CPU ms':>9}")
        for many in clients:
            health = lambda: client.get("/health").raise_for_status()  # noqa: E731
            measured("GET /health", server.pid, many, 10 * requests, health)
            measured("POST /ask, new", server.pid, many, requests, ask_anew)
            measured("POST /ask, remembered", server.pid, many, requests, lambda: ask(titles[0]))
    finally:
        server.terminate()
        server.wait()


def in_python(root: Path, question: str, requests: int) -> None:
    """Print the CPU of a remembered question without a server."""
    with Index.open(root) as index:
        index.ask(question, method="local")
        before = resource.getrusage(resource.RUSAGE_SELF)
        for _ in range(requests):
            index.ask(question, method="local")
        after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{'remembered, in Python':<60}{1000 * cpu / requests:>9.1f}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--clients", default="1,8,32")
    options = parser.parse_args()
    with Index.open(options.root) as index:
        titles = index.sql(TITLES)["title"].to_list()
    clients = [int(many) for many in options.clients.split(",")]
    over_http(options.root, titles, clients, options.requests)
    in_python(options.root, titles[0], options.requests)


if __name__ == "__main__":
    main()
