"""html, docx, pptx, xlsx, pdf -> Markdown text; libraries are imported when needed."""

import io
import re
import zipfile
from collections.abc import Iterable
from typing import Any

from graphrag_assets.readers.parsed import Piece, UnreadError, paged
from graphrag_assets.readers.properties import html_properties, office_properties, pdf_properties
from graphrag_assets.text import normalise

_INVISIBLE = ["title", "script", "style", "noscript", "nav", "template", "iframe", "svg", "head"]
_UNSEEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*){2,}")
_MOST_UNPACKED = 512 << 20  # bytes that a zip may hold; more of them are a bomb
_MAGIC = {
    b"{\\rtf": "RTF",
    b"\xd0\xcf\x11\xe0": "an old or encrypted Office file",
    b"%PDF": "PDF",
    b"PK\x03\x04": "an archive, or an Office file",
    b"\x1f\x8b": "a compressed file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"PAR1": "parquet",
    b"SQLite format 3": "a SQLite database",
}
_UNCOMPUTED = re.compile(rb"</f>\s*(?:<v\s*/>|<v></v>)?\s*</c>")
_WRONG_PASSWORD = 4  # pdfium's code
_IMAGE = 3  # pdfium's type of object
_HYPHENATED = re.compile(r"[\x02\ufffe](?:\r?\n)?")


# -- html --------------------------------------------------------------------------------------


def read_html(text: str) -> Piece:
    """Return what a reader sees of a page, tables and lists as Markdown."""
    import bs4
    import markdownify

    soup = bs4.BeautifulSoup(text, "html.parser")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    facts = html_properties(soup)
    for comment in soup.find_all(
        string=lambda found: isinstance(found, bs4.element.PreformattedString)
    ):
        comment.extract()
    unseen = soup.find_all(style=_UNSEEN) + soup.select("[hidden], [aria-hidden=true]")
    for element in [*soup.find_all(_INVISIBLE), *unseen]:
        element.decompose()
    for image in soup.find_all("img", src=re.compile(r"^data:")):
        image.replace_with(str(image.get("alt") or ""))
    try:
        body = markdownify.markdownify(
            str(soup), heading_style="ATX", escape_misc=False, table_infer_header=True
        ).replace("\xa0", " ")
    except RecursionError as error:
        raise UnreadError("failed", "HTML is nested too deeply") from error
    text = _BLANK_LINES.sub("\n\n", normalise(body)).strip()
    return Piece(text, title=title or None, metadata=facts)


# -- Office ------------------------------------------------------------------------------------


def read_docx(data: bytes) -> Piece:
    """Return headings, paragraphs, lists and tables of a Word document."""
    import mammoth

    check_zip(data, "docx")
    converted = mammoth.convert_to_html(io.BytesIO(data))
    text = read_html(f"<body>{converted.value}</body>").text
    return Piece(text, metadata=office_properties(data))


def read_pptx(data: bytes) -> Piece:
    """Return the slides, each a page, with tables and notes."""
    import pptx

    check_zip(data, "pptx")
    slides = pptx.Presentation(io.BytesIO(data)).slides
    text, pages = paged([_slide(slide) for slide in slides])
    return Piece(text, pages=pages, metadata=office_properties(data))


def _slide(slide: Any) -> str:  # noqa: ANN401
    title = slide.shapes.title
    parts = [f"# {title.text_frame.text}"] if title is not None and title.has_text_frame else []
    parts += [_shape(shape) for shape in slide.shapes if shape != title]
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        parts.append(slide.notes_slide.notes_text_frame.text)
    return normalise("\n\n".join(part for part in parts if part.strip()))


def _shape(shape: Any) -> str:  # noqa: ANN401
    if hasattr(shape, "shapes"):
        return "\n\n".join(_shape(inner) for inner in shape.shapes)
    if getattr(shape, "has_table", False):
        return _table([cell.text for cell in row.cells] for row in shape.table.rows)
    return str(shape.text_frame.text) if shape.has_text_frame else ""


def read_xlsx(data: bytes) -> tuple[Piece, list[str]]:
    """Return each sheet that can be seen as a heading and a table."""
    import openpyxl

    check_zip(data, "xlsx")
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    sheets = [(sheet.title, _table(_cells(sheet))) for sheet in shown]
    n_hidden = len(book.worksheets) - len(shown)
    book.close()
    n_unknown = _formulas_without_value(data)
    warnings = [f"{n_hidden} hidden {_plural('sheet', n_hidden)} left out"] if n_hidden else []
    if n_unknown:
        warnings.append(f"{n_unknown} {_plural('formula', n_unknown)} without a stored value")
    parts = [f"## {title}\n\n{table}" for title, table in sheets if table]
    return Piece(normalise("\n\n".join(parts)), metadata=office_properties(data)), warnings


def _cells(sheet: Any) -> list[list[str]]:  # noqa: ANN401
    """Return the rows and columns that hold something, wherever they stand."""
    sheet.reset_dimensions()  # the size that is stored may be wrong, or a million rows
    rows = [
        {at: _cell(value) for at, value in enumerate(row) if value is not None}
        for row in sheet.iter_rows(values_only=True)
    ]
    used = sorted({at for row in rows for at, cell in row.items() if cell})
    return [[row.get(at, "") for at in used] for row in rows if any(row.values())]


def _cell(value: object) -> str:
    """Return a value as people write it: whole days without their midnight."""
    return str(value).removesuffix(" 00:00:00").strip()


def _formulas_without_value(data: bytes) -> int:
    """Count formulas that no program has computed yet; their cells are empty to a reader."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
        return sum(len(_UNCOMPUTED.findall(archive.read(name))) for name in names)


def _table(rows: Iterable[list[str]]) -> str:
    """Return a Markdown table; the first row is its header."""
    lines = [
        " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) for row in rows
    ]
    lines = [f"| {line} |" for line in lines]
    if lines:
        lines.insert(1, "|" + "---|" * (lines[0].replace("\\|", "").count("|") - 1))
    return "\n".join(lines)


def kind_of(data: bytes) -> str | None:
    """Return what a file is by its first bytes, if that is no kind of text."""
    return next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), None)


def check_zip(data: bytes, wanted: str) -> None:
    """Refuse what isn't the archive that it is named for, and what would fill the memory."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        kind = kind_of(data)
        if kind and not data.startswith(b"PK"):
            raise UnreadError("failed", f"named {wanted}, but it is {kind}")
        raise UnreadError("failed", f"not a {wanted} file: damaged, or of another kind")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > _MOST_UNPACKED:
            raise UnreadError("failed", f"unpacks to more than {_MOST_UNPACKED >> 20} MB")


# -- PDF ---------------------------------------------------------------------------------------


def read_pdf(data: bytes) -> tuple[Piece, list[str]]:
    """Return the text layer by page; a PDF without one needs OCR."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _WRONG_PASSWORD:
            raise UnreadError("failed", "password required") from error
        raise UnreadError("failed", f"not a PDF that can be read: {error}") from error
    try:
        read = [_page(page) for page in document]
        facts = pdf_properties(document.get_metadata_dict())
    finally:
        document.close()
    text, pages = paged([text for text, _ in read])
    n_blank = sum(not text for text, _ in read)
    if n_blank == len(read):
        counted = f"{len(read)} {_plural('page', len(read))}"
        n_images = sum(n for _, n in read)
        images = f"{n_images} {_plural('image', n_images)}"
        raise UnreadError("needs_ocr", f"no text layer ({counted}, {images})")
    warnings = [f"{n_blank} of {len(read)} pages have no text layer"] if n_blank else []
    return Piece(text=text, pages=pages, metadata={"n_pages": len(read), **facts}), warnings


def _page(page: Any) -> tuple[str, int]:  # noqa: ANN401
    """Return the text of a page and, only where it has none, the number of its images."""
    layer = page.get_textpage()
    text = normalise(_HYPHENATED.sub("", layer.get_text_bounded())).strip()
    n_images = 0 if text else sum(found.type == _IMAGE for found in page.get_objects())
    layer.close()
    page.close()
    return text, n_images


def _plural(word: str, count: int) -> str:
    return word if count == 1 else word + "s"
