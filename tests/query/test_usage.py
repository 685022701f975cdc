"""Each question has an account of its own, however many are asked side by side."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from asked import KAJA

QUESTIONS = [f"{KAJA} Tell me of year {1900 + n}." for n in range(12)]
METHODS = ["global", "local", "basic", "drift", "source", "lazy"]
JOBS = [(question, METHODS[n % len(METHODS)]) for n, question in enumerate(QUESTIONS)]


def alone(ask_with):
    """Return what each question takes when it is asked of an index of its own."""
    return [ask_with()[0].ask(question, method=method).usage for question, method in JOBS]


def test_under_threads(ask_with):
    index, _ = ask_with()
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda job: index.ask(job[0], method=job[1]), JOBS))

    assert [answer.usage for answer in answers] == alone(ask_with)


def test_under_asyncio(ask_with):
    index, _ = ask_with()

    async def all_at_once():
        jobs = (index.ask_async(question, method=method) for question, method in JOBS)
        return await asyncio.gather(*jobs)

    answers = asyncio.run(all_at_once())

    assert [answer.usage for answer in answers] == alone(ask_with)


def test_the_calls_are_those_of_the_script(ask_with):
    index, script = ask_with()
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda job: index.ask(job[0], method=job[1]), JOBS))
    calls = len(script.history) + len(script.embedded)

    assert sum(answer.usage.calls for answer in answers) == calls
    assert all(answer.usage.calls > 0 for answer in answers)
