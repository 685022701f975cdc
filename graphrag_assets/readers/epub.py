"""epub -> the text of its chapters, in reading order."""

import io
import posixpath
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree import ElementTree as Xml

from graphrag_assets.readers.decoding import decode
from graphrag_assets.readers.documents import check_zip, read_html
from graphrag_assets.readers.parsed import Piece, UnreadError, paged

_KEPT = {"date": "date", "creator": "author", "language": "language"}
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def read_epub(data: bytes) -> Piece:
    """Return a book; each file in its reading order, as a rule a chapter, is a page."""
    check_zip(data, "epub")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if "META-INF/rights.xml" in archive.namelist():
            raise UnreadError("failed", "protected against copying (DRM)")
        package = _package(archive)
        book = _xml(archive, package)
        chapters = [_chapter(archive, name) for name in _spine(book, posixpath.dirname(package))]
    text, pages = paged(chapters)
    said = {tag: book.findtext(f".//{{*}}metadata/{{*}}{tag}") for tag in ("title", *_KEPT)}
    facts = {name: said[tag] for tag, name in _KEPT.items() if said[tag]}
    return Piece(text, title=said["title"], metadata=facts, pages=pages)


def _package(archive: zipfile.ZipFile) -> str:
    root = _xml(archive, "META-INF/container.xml").find(".//{*}rootfile")
    if root is None:
        raise UnreadError("failed", "names no package")
    return root.get("full-path", "")


def _xml(archive: zipfile.ZipFile, name: str) -> Xml.Element:
    return Xml.fromstring(archive.read(name))  # noqa: S314  # expat bounds what entities become


def _spine(book: Xml.Element, folder: str) -> Iterator[str]:
    """Yield the names of the chapters in the order of reading, without the table of contents."""
    items = {item.get("id"): item for item in book.iterfind(".//{*}manifest/{*}item")}
    for reference in book.iterfind(".//{*}spine/{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _PAGES:
            continue
        if "nav" not in item.get("properties", "").split():
            yield posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))


def _chapter(archive: zipfile.ZipFile, name: str) -> str:
    return read_html(decode(archive.read(name), declared=None).text).text
