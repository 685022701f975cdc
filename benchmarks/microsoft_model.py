"""A model server for Microsoft's graphrag: our built-in model, in the words of their prompts.

It speaks OpenAI's protocol, needs no network and gives the same answers every time:
extraction and claims as delimited records, reports and points as JSON, vectors by hashed words.
"""

import csv
import io
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from graphrag_assets.models.offline import claims, extraction
from graphrag_assets.text import content_id, terms

DIMENSION = 3072  # their default
FIELD, RECORD, END = "<|>", "\n##\n", "<|COMPLETE|>"
TABLE = re.compile(r"^-----(\w+)-----\n(.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
Rows = list[dict[str, str]]


def serve(port: int = 0) -> ThreadingHTTPServer:
    """Start the server on 127.0.0.1 in a thread; `server_port` tells where."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Handler(BaseHTTPRequestHandler):
    """POST …/chat/completions and …/embeddings."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """Answer a call."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/embeddings"):
            self._send_json(embeddings(body["input"]))
            return
        text = reply(body["messages"], body.get("response_format") or {})
        if body.get("stream"):
            self._send(chunks(text), "text/event-stream")
        else:
            message = {"role": "assistant", "content": text}
            self._send_json(completion("chat.completion", {"message": message}, "stop"))

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _send_json(self, value: Mapping[str, Any]) -> None:
        self._send([json.dumps(value)], "application/json")

    def _send(self, parts: Sequence[str] | Iterator[str], kind: str) -> None:
        raw = "".join(parts).encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def completion(kind: str, choice: Mapping[str, Any], finish: str | None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": kind,
        "created": 0,
        "model": "stand-in",
        "choices": [{"index": 0, "finish_reason": finish, **choice}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def chunks(text: str) -> Iterator[str]:
    for piece in re.findall(r"\S+\s*|\s+", text):
        delta = {"delta": {"role": "assistant", "content": piece}}
        yield f"data: {json.dumps(completion('chat.completion.chunk', delta, None))}\n\n"
    last = completion("chat.completion.chunk", {"delta": {}}, "stop")
    yield f"data: {json.dumps(last)}\n\ndata: [DONE]\n\n"


def embeddings(texts: str | Sequence[str]) -> dict[str, Any]:
    """Return unit vectors of hashed words."""
    rows = []
    for index, text in enumerate([texts] if isinstance(texts, str) else texts):
        vector = np.zeros(DIMENSION)
        for term in terms(str(text)):
            vector[int(content_id(term)[:8], 16) % DIMENSION] += 1
        vector /= np.linalg.norm(vector) or 1
        rows.append({"object": "embedding", "index": index, "embedding": vector.tolist()})
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "model": "stand-in", "data": rows, "usage": usage}


def reply(messages: Sequence[Mapping[str, Any]], form: Mapping[str, Any]) -> str:
    """Return what their prompt asks for."""
    prompts = [message["content"] for message in messages if message["role"] != "assistant"]
    if "findings" in json.dumps(form):
        return json.dumps(report(tables(prompts[0])))
    cue = next(cue for cue in ANSWERS if cue in prompts[-1] or cue in prompts[0])
    return ANSWERS[cue](prompts[0])


def _told_of(prompt: str) -> str:
    """Return what the tables of a question, or the analysts of its parts, begin with."""
    start = "----Analyst" if "----Analyst" in prompt else "---Data tables---"
    return "The data say: " + between(prompt + END, start, END)[:400].strip()


def between(text: str, start: str, end: str) -> str:
    """Return what stands between the last `start` and the next `end`."""
    return text.rpartition(start)[2].partition(end)[0]


def records(text: str) -> str:
    """Return entities and relationships as their parser reads them."""
    found = extraction.extract(text, ["organization", "person", "geo", "event"])
    rows = [("entity", e.name.upper(), e.type.upper(), e.description) for e in found.entities]
    rows += [
        ("relationship", r.source.upper(), r.target.upper(), r.description, str(r.weight))
        for r in found.relationships
    ]
    return RECORD.join(f'("{kind}"{FIELD}{FIELD.join(rest)})' for kind, *rest in rows) + END


def claim_records(text: str) -> str:
    """Return claims as their parser reads them."""
    names = [entity.name for entity in extraction.extract(text, []).entities]
    rows = [
        (
            *(claim.subject.upper(), claim.object.upper() or "NONE", claim.type.upper()),
            *(claim.status, claim.start_date or "NONE", claim.end_date or "NONE"),
            *(claim.description, claim.quote),
        )
        for claim in claims.extract(text, "\n".join(names)).claims
    ]
    return RECORD.join(f"({FIELD.join(row)})" for row in rows) + END


def tables(prompt: str) -> dict[str, Rows]:
    """Return the CSV tables of a prompt by name."""
    text = between(prompt, "# Real Data", "Output:")
    return {name: list(csv.DictReader(body.splitlines())) for name, body in TABLE.findall(text)}


def report(found: Mapping[str, Rows]) -> dict[str, Any]:
    """Return a report that cites the rows it was given."""
    entities, relationships = found.get("Entities", []), found.get("Relationships", [])
    names = [row["title"].title() for row in entities[:3]]
    return {
        "title": " and ".join(names) or "A report of reports",
        "summary": " ".join(map(told("Entities"), entities[:2])),
        "findings": [
            {"summary": f"{row['source']} and {row['target']}", "explanation": said(row)}
            for said in [told("Relationships")]
            for row in relationships[:5]
        ],
        "rating": 5.0,
        "rating_explanation": f"It has {len(entities)} entities.",
    }


def told(dataset: str):
    """Return a function that tells a row of a data set and cites it."""
    return lambda row: f"{row['description']} [Data: {dataset} ({row['human_readable_id']})]."


def points(prompt: str) -> list[dict[str, Any]]:
    """Return one point for each report of a global question."""
    header = re.search(r"^id\|title\b", prompt, re.MULTILINE)
    rows = csv.DictReader(io.StringIO(prompt[header.start() :] if header else ""), delimiter="|")
    return [
        {"description": f"{row['title']} [Data: Reports ({row['id']})]", "score": 50}
        for row in rows
        if row.get("title") and (row.get("id") or "").isdigit()
    ]


ANSWERS: dict[str, Callable[[str], str]] = {  # a cue of the prompt: what answers it
    "MANY entities": lambda _: END,
    "Answer Y": lambda _: "N",
    '"entity"<|>': lambda prompt: records(between(prompt, "\nText: ", "\n######")),
    "-Target activity-": lambda prompt: claim_records(between(prompt, "\nText: ", "\nOutput:")),
    '"points"': lambda prompt: json.dumps({"points": points(prompt)}),
    "Description List:": lambda prompt: " ".join(
        json.loads(between(prompt, "Description List: ", "\n#######"))
    ),
    "": _told_of,
}
