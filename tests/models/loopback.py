"""A provider on a loopback port that answers what a test tells it to, in OpenAI's wire format."""

import json
import socket
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from graphrag_assets.models.client import Models, Outcome, Request
from graphrag_assets.models.replies import Extraction
from graphrag_assets.prompts import Message

GOOD = {
    "entities": [
        {"name": "Aurora", "type": "object", "description": "A ferry."},
        {"name": "Ida Holm", "type": "person", "description": "Captain of the Aurora."},
    ],
    "relationships": [
        {"source": "Ida Holm", "target": "Aurora", "description": "captain of", "weight": 9}
    ],
}

UNIT = (Message("system", "Extract."), Message("user", "<text>\nThe ferry Aurora …\n</text>"))
REPORT = {
    "title": "Aurora",
    "summary": "A ferry.",
    "rating": 3.5,
    "rating_explanation": "Low.",
    "findings": [{"summary": "The voyage", "explanation": "Ida Holm sails."}],
}


@dataclass(frozen=True)
class Reply:
    """One HTTP answer, or none: the connection is reset, or left hanging."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    transport: str = ""


def said(
    content: Any, *, finish: Any = "stop", usage: bool = True, message: dict[str, Any] | None = None
) -> Reply:
    """An answer of a chat model."""
    if not isinstance(content, str | None):
        content = json.dumps(content, ensure_ascii=False)
    body: dict[str, Any] = {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 1924992000,
        "model": "test-model",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **(message or {})},
                "finish_reason": finish,
            }
        ],
    }
    if usage:
        body["usage"] = {"prompt_tokens": 412, "completion_tokens": 96, "total_tokens": 508}
    return Reply(body)


def streamed(*pieces: str, finish: str = "stop") -> Reply:
    """An answer of a chat model in pieces."""
    deltas = [{"delta": {"content": piece}, "finish_reason": None} for piece in pieces]
    deltas.append({"delta": {}, "finish_reason": finish})
    events = [
        {
            "id": "chatcmpl-test",
            "object": "chat.completion.chunk",
            "created": 1924992000,
            "model": "test-model",
            "choices": [{"index": 0, **delta}],
        }
        for delta in deltas
    ]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return Reply(
        "".join([*lines, "data: [DONE]\n\n"]), headers={"content-type": "text/event-stream"}
    )


def embedded(*vectors: Any, indexes: Sequence[int | None] | None = None) -> Reply:
    """An answer of an embedding model."""
    places = range(len(vectors)) if indexes is None else indexes
    data = [
        {"object": "embedding", "index": place, "embedding": vector}
        for place, vector in zip(places, vectors, strict=True)
    ]
    usage = {"prompt_tokens": 5, "total_tokens": 5}
    return Reply({"object": "list", "model": "test-embed", "data": data, "usage": usage})


def refused(status: int, message: str, **more: Any) -> Reply:
    """An error in OpenAI's form."""
    headers = more.pop("headers", {})
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return Reply({"error": error | more}, status, headers)


class Loopback:
    """Answers each POST with the next reply, the last one for ever; keeps what it was asked."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = list(replies)
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.released = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def next(self, request: dict[str, Any], key: str | None) -> Reply:
        with self._lock:
            self.asked.append(request)
            self.keys.append(key)
            return self.replies[min(len(self.asked), len(self.replies)) - 1]

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(loopback: Loopback) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - a class in it
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

        def do_GET(self) -> None:
            self._send(Reply({"error": "POST is asked for"}, 405))

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            reply = loopback.next(json.loads(raw), self.headers.get("authorization"))
            try:
                self._send(reply)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _send(self, reply: Reply) -> None:
            if reply.transport == "hang":
                loopback.released.wait(30)
            if reply.transport in {"reset", "hang"}:
                return self._reset()
            body = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
            data = body.encode()
            self.send_response(reply.status)
            kind = reply.headers.get("content-type", "application/json")
            for name, value in {**reply.headers, "content-type": kind}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if reply.transport == "drip":
                return self._drip(data)
            if reply.transport == "reset in the middle":
                self.wfile.write(data[: len(data) // 2])
                self.wfile.flush()
                return self._reset()
            self.wfile.write(data)
            return None

        def _drip(self, data: bytes) -> None:
            for byte in data:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                if loopback.released.wait(0.05):
                    return

        def _reset(self) -> None:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.close_connection = True

    return Handler


def ask(
    models: Models, schema: Any = Extraction, messages: tuple[Message, ...] = UNIT
) -> Outcome[Any]:
    return models.run(models.chat(Request("extraction", "extract_graph", messages, schema, "u1")))


def counts(outcome: Outcome[Any]) -> tuple[str, int, int]:
    reply = outcome.reply
    return outcome.status, len(reply.entities), len(reply.relationships)
