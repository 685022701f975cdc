"""What a file says of itself outside its text: author, date. Never the clock of a file system."""

import datetime
import html
import io
import re
import zipfile
from typing import Any

_DATE = re.compile(r"(?<!\d)(\d{4})[-_./](\d{2})[-_./](\d{2})(?!\d)")
_STAMP = re.compile(r"D:(\d{4})(\d{2})(\d{2})")  # of PDF
_CORE = "docProps/core.xml"
_CREATED = re.compile(r"<dcterms:created[^>]*>([^<]+)<")
_CREATOR = re.compile(r"<dc:creator[^>]*>([^<]+)<")
_META = {
    "author": "author",
    "date": "date",
    "dc.date": "date",
    "dcterms.date": "date",
    "article:published_time": "date",
}


def date_in(text: str) -> dict[str, str]:
    """Return the first date that stands in a path or stamp, as `date`, or nothing."""
    found = _first_date(_DATE, text)
    return {"date": found} if found else {}


def office_properties(data: bytes) -> dict[str, str]:
    """Return who made a docx, pptx or xlsx, and when, by the file itself."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if _CORE not in archive.namelist():
            return {}
        core = archive.read(_CORE).decode("utf-8", "replace")
    creator = _CREATOR.search(core)
    author = " ".join(html.unescape(creator[1]).split()) if creator else ""
    made = _CREATED.search(core)
    return _known(author, _first_date(_DATE, made[1]) if made else "")


def pdf_properties(stored: dict[str, str]) -> dict[str, str]:
    """Return who made a PDF, and when."""
    return _known(
        stored.get("Author", "").strip(), _first_date(_STAMP, stored.get("CreationDate", ""))
    )


def html_properties(soup: Any) -> dict[str, str]:  # noqa: ANN401
    """Return the author and date of a page's meta tags."""
    found: dict[str, str] = {}
    for tag in soup.find_all("meta", content=True):
        name = _META.get(str(tag.get("name") or tag.get("property") or "").lower())
        value = " ".join(str(tag["content"]).split())
        if name and value:
            found.setdefault(name, date_in(value).get("date", value) if name == "date" else value)
    return found


def _known(author: str, created: str) -> dict[str, str]:
    return {key: value for key, value in {"author": author, "created": created}.items() if value}


def _first_date(pattern: re.Pattern[str], text: str) -> str:
    for match in pattern.finditer(text):
        try:
            return datetime.date(*map(int, match.groups())).isoformat()
        except ValueError:
            continue
    return ""
