"""Six documents about an island, and the scripted model that reads them without thinking."""

import re
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path

from graphrag_assets.models.scripted import Reply, ScriptedTransport
from graphrag_assets.models.transport import Ask

CORPUS = {
    "01-light.txt": (
        "Ada Brook keeps the North Light. The North Light stands on Gull Island. "
        "Ada Brook wrote to the Pilot Office every spring."
    ),
    "02-pilots.txt": (
        "The Pilot Office is led by Ben Cole. Ben Cole hired Cora Dean in 1931. "
        "Cora Dean studied with Ada Brook."
    ),
    "03-works.md": (
        "# The works\n\nThe Tar Works belongs to Emil Frost. Emil Frost sold tar to the Rope Yard. "
        "The Rope Yard employs Greta Hahn.\n\nGreta Hahn is a sister of Emil Frost. "
        "The Tar Works burned in the Great Fire."
    ),
    "04-fire.txt": (
        "The Great Fire began in the Rope Yard. Greta Hahn rang the Harbour Bell. "
        "The Harbour Bell hangs in the Tar Works."
    ),
    "05-bank.txt": (
        "The Island Bank lent money to the Tar Works. Ivo Jansen founded the Island Bank. "
        "Ivo Jansen blamed Emil Frost for the Great Fire."
    ),
    "06-ship.txt": (
        "The Silver Tern sank off Gull Island. Kaja Lund sailed the Silver Tern. "
        "Kaja Lund owed money to Ivo Jansen."
    ),
}
NAMES = {
    "Ada Brook": "person",
    "Ben Cole": "person",
    "Cora Dean": "person",
    "Emil Frost": "person",
    "Greta Hahn": "person",
    "Ivo Jansen": "person",
    "Kaja Lund": "person",
    "Pilot Office": "organization",
    "Rope Yard": "organization",
    "Tar Works": "organization",
    "Island Bank": "organization",
    "Gull Island": "place",
    "North Light": "place",
    "Great Fire": "event",
    "Harbour Bell": "object",
    "Silver Tern": "object",
}
SETTINGS = """\
[text_units]
max_tokens = 40
overlap = 0
[extraction]
claims = true
[communities]
max_community_size = 4
[models.default]
model = "scripted/reader"
[models.embedding]
model = "scripted/words"
"""
ROW = re.compile(r"^\[([ERCPT][0-9a-f]{6,32})\] (.*)$", re.MULTILINE)


def write_project(
    root: Path, corpus: Mapping[str, str] = CORPUS, *, settings: str = SETTINGS
) -> Path:
    """Write a project's settings and documents; return its folder."""
    folder = root / "data" / "input"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in corpus.items():
        (folder / name).write_text(text, encoding="utf-8")
    (root / "settings.toml").write_text(settings, encoding="utf-8")
    return root


def reader() -> ScriptedTransport:
    """Return a model that answers every prompt by rule."""
    return ScriptedTransport(reply_to)


def reply_to(ask: Ask) -> Reply:
    """Answer a prompt from the text it shows: always the same for the same text."""
    return RULES.get(ask.prompt, _answer)(ask.messages[-1].content)


def _names(text: str) -> list[str]:
    return [name for name in NAMES if name in text]


def _sentences(text: str) -> list[str]:
    return re.findall(r"[^.\n]+\.", re.sub(r"</?text>", "", text))


def _entities(text: str) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "type": NAMES[name],
            "description": next(said.strip() for said in _sentences(text) if name in said),
        }
        for name in _names(text)
    ]


def _relationships(text: str) -> list[dict[str, object]]:
    return [
        {"source": one, "target": other, "description": said.strip(), "weight": 5}
        for said in _sentences(text)
        for one, other in combinations(_names(said), 2)
    ]


def _claims(text: str) -> list[dict[str, str]]:
    text = text.rpartition("</entities>")[2]
    return [
        {"subject": _names(said)[0], "description": said.strip(), "quote": said.strip()}
        for said in _sentences(text)
        if "blamed" in said and _names(said)
    ]


def _report(context: str) -> dict[str, object]:
    rows = ROW.findall(context)
    findings = [
        {"summary": f"{text[:60]}", "explanation": f"{text} [{marker}]"} for marker, text in rows
    ]
    title = rows[0][1].partition(" (")[0][:60]
    return {
        "title": f"Around {title}",
        "summary": f"{rows[0][1]} [{rows[0][0]}]",
        "rating": 5,
        "findings": findings[:20],
    }


def _points(context: str) -> dict[str, object]:
    told = [f"{text} [{marker}]" for marker, text in ROW.findall(context)]
    return {"points": [{"answer": point, "score": 50} for point in told]}


def _answer(shown: str) -> str:
    if rows := ROW.findall(shown):
        marker, text = rows[-1]
        return f"They say: {text[:80]} [{marker}]"
    return re.sub(r"(?s).*## Points\n|\n</context>.*", "", shown)


def _step(shown: str) -> dict[str, object]:
    context, _, question = shown.partition("<question>")
    rows = ROW.findall(context)
    said = f"{rows[-1][1][:80]} [{rows[-1][0]}]" if rows else ""
    new = [name for name in _names(context) if name not in question][:2]
    last = question.partition("</question>")[0].split()[-1:]
    asked = [{"question": f"Who knew {name}, {last}?", "score": 50 + len(name)} for name in new]
    return {"answer": said, "score": 50, "follow_ups": asked}


def _rating(shown: str) -> dict[str, object]:
    context, _, question = shown.partition("<question>")
    shared = [name for name in _names(question) if name in context]
    return {"rating": 5 if shared or not _names(question) else 0, "reason": "By its names."}


RULES: dict[str, Callable[[str], Reply]] = {
    "extract_graph": lambda shown: {
        "entities": _entities(shown),
        "relationships": _relationships(shown),
    },
    "continue_extraction": lambda _: {"entities": []},
    "extract_claims": lambda shown: {"claims": _claims(shown)},
    "summarize_description": lambda _: {"description": "All that was said."},
    "community_report": _report,
    "global_map": _points,
    "drift_primer": _step,
    "drift_follow_up": _step,
    "rate_relevance": _rating,
    "question_corpus": lambda shown: {"questions": [f"Who is {n}?" for n in _names(shown)]},
    "question_next": lambda shown: {"questions": [f"Who is {n}?" for n in _names(shown)]},
    "question_route": lambda _: {"method": "local", "level": 0, "reason": "By its names."},
    "question_split": lambda shown: {
        "questions": [shown.split("<question>")[1].split("</question>")[0].strip()]
    },
    "question_standalone": lambda shown: {
        "question": shown.split("<question>")[1].split("</question>")[0].strip()
    },
}
