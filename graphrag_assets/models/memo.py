"""Answers that were paid for once, by content hash. Only parsed replies and good vectors go in.

SQLite in WAL mode by default, any database that SQLAlchemy reaches by URL. Many processes may read
and write at once; what was committed survives a kill.
"""

import contextlib
import hashlib
import json
import logging
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.pool import StaticPool

from graphrag_assets.errors import SettingsError
from graphrag_assets.prompts import Message

LOG: Final = logging.getLogger(__name__)
AT_ONCE: Final = 500  # keys of one statement
BUSY_SECONDS: Final = 60
ROWS: Final = sa.Table(
    "memo",
    sa.MetaData(),
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("value", sa.LargeBinary, nullable=False),
)
FOUND: Final = sa.select(ROWS).where(ROWS.c.key.in_(sa.bindparam("keys", expanding=True)))


class Memo:
    """Content hash -> bytes."""

    def __init__(self, url_or_path: str | Path) -> None:
        """Open a memo by its path or URL; nothing is touched before the first use."""
        self._url = _url(url_or_path)
        self._engine = _engine(self._url)
        self._made = False
        # a memo in memory has one connection for all threads: one at a time
        self._turn = threading.Lock() if _in_memory(self._url) else contextlib.nullcontext()

    @classmethod
    def none(cls) -> "Memo":
        """Return a memo that lasts as long as the object: for tests."""
        return cls("sqlite://")

    def get_many(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return what is stored under some keys; absent keys are left out."""
        found: dict[str, bytes] = {}
        with self._connection() as connection:
            for part in _parts(list(keys)):
                rows = connection.execute(FOUND, {"keys": part})
                found |= {key: bytes(value) for key, value in rows}
        return found

    def put_many(self, items: Mapping[str, bytes]) -> None:
        """Store items; what stands there already stays."""
        if not items:
            return
        rows = [{"key": key, "value": value} for key, value in items.items()]
        with self._connection() as connection:
            connection.execute(_insert(self._engine.dialect.name), rows)

    def close(self) -> None:
        """Close connections; a memo in memory lives on."""
        if not _in_memory(self._url):
            self._engine.dispose()

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sa.Connection]:
        """Give a connection in a transaction; tell the user which memo it is that fails."""
        try:
            with self._turn:
                if not self._made:
                    self._make()
                with self._engine.begin() as connection:
                    yield connection
        except (sa.exc.DBAPIError, OSError) as error:
            place = self._url.render_as_string(hide_password=True)
            reason = str(getattr(error, "orig", error))
            raise SettingsError("store.memo", [f"{place}: {reason}"]) from error

    def _make(self) -> None:
        if self._url.get_backend_name() == "sqlite" and not _in_memory(self._url):
            Path(str(self._url.database)).parent.mkdir(parents=True, exist_ok=True)
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.schema.CreateTable(ROWS, if_not_exists=True))
        except sa.exc.IntegrityError:  # PostgreSQL, when another process makes it right now
            LOG.info("The table of the memo was made by another process.")
        self._made = True


def _in_memory(url: sa.URL) -> bool:
    return url.get_backend_name() == "sqlite" and url.database in {None, "", ":memory:"}


def _url(url_or_path: str | Path) -> sa.URL:
    if not isinstance(url_or_path, str) or "://" not in url_or_path:
        return sa.URL.create("sqlite", database=str(url_or_path))
    try:
        url = sa.make_url(url_or_path)
    except (sa.exc.ArgumentError, ValueError) as error:
        raise SettingsError("store.memo", ["it is neither a path nor a URL"]) from error
    if url.get_backend_name() not in {"sqlite", "postgresql"}:
        name = url.get_backend_name()
        raise SettingsError("store.memo", [f"{name} is neither sqlite nor postgresql"])
    return url


def _engine(url: sa.URL) -> sa.Engine:
    if url.get_backend_name() != "sqlite":
        try:
            return sa.create_engine(url, pool_pre_ping=True)
        except (ModuleNotFoundError, sa.exc.ArgumentError) as error:
            words = f"{url.drivername} can't be used: {error}"
            raise SettingsError("store.memo", [words]) from error
    if _in_memory(url):
        shared = {"check_same_thread": False}
        return sa.create_engine(url, poolclass=StaticPool, connect_args=shared)
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    sa.event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: object) -> None:  # noqa: ANN401
    """Set WAL mode: readers and one writer beside each other, and cheap commits."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


@cache
def _insert(dialect: str) -> sa.Insert:
    if dialect == "postgresql":
        return postgresql.insert(ROWS).on_conflict_do_nothing()
    return sqlite.insert(ROWS).on_conflict_do_nothing()


def _parts(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), AT_ONCE):
        yield keys[start : start + AT_ONCE]


def reply_key(
    model: str, messages: Sequence[Message], parameters: Mapping[str, Any], schema: object
) -> str:
    """Return the key of a reply: everything that it depends on."""
    conversation = [[message.role, message.content] for message in messages]
    return _hash([model, conversation, parameters, schema])


def vector_key(model: str, text: str) -> str:
    """Return the key of a vector."""
    return _hash(["vector", model, text])


def dimension_key(model: str) -> str:
    """Return the key of the number of dimensions that a model gives."""
    return _hash(["dimension", model])


def _hash(value: object) -> str:
    """Return the sha256 of a value's canonical JSON (ASCII, so that lone surrogates pass)."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def pack(value: object) -> bytes:
    """Return JSON, compressed."""
    return zlib.compress(json.dumps(value, ensure_ascii=False).encode(), 1)


def unpack(data: bytes) -> Any:  # noqa: ANN401
    """Return what `pack` packed; raise ValueError if it isn't that."""
    try:
        return json.loads(zlib.decompress(data))
    except zlib.error as error:
        raise ValueError(str(error)) from error


def pack_vector(vector: npt.NDArray[np.float32]) -> bytes:
    """Return float32, little-endian."""
    return vector.astype("<f4", copy=False).tobytes()


def unpack_vector(data: bytes) -> npt.NDArray[np.float32]:
    """Return what `pack_vector` packed."""
    return np.frombuffer(data, dtype="<f4").astype(np.float32, copy=False)
