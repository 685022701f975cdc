"""Write a corpus as a test needs it, and read it."""

import io
import zipfile
from pathlib import Path

import polars as pl

from graphrag_assets.readers import Corpus, read_corpus
from graphrag_assets.settings import CorpusSettings

NOTHING = pl.DataFrame()


def read(root: Path | str, previous: Corpus | None = None, **settings) -> Corpus:
    return read_corpus(
        CorpusSettings(root=str(root), **settings),
        base=Path(),
        previous_files=previous.files if previous else NOTHING,
        previous_documents=previous.documents if previous else NOTHING,
        encoding="o200k_base",
    )


def put(file: Path, content: bytes | str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)


def one(root: Path, name: str, content: bytes | str, **settings) -> tuple[dict, list[dict]]:
    """Return the row of one file and its documents; a good file stands beside it."""
    put(root / name, content)
    put(root / "zz beside.txt", "A file that can be read.")
    corpus = read(root, **settings)
    file = corpus.files.row(by_predicate=pl.col("path") == name, named=True)
    return file, corpus.documents.filter(pl.col("path") == name).to_dicts()


def states(corpus: Corpus) -> dict[str, str]:
    return dict(corpus.files.select("path", "status").iter_rows())


def docx(body: str) -> bytes:
    """Return the smallest Word document with this body."""
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
            '<Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
            f'<Relationship Id="r" Type="{office}" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{word}"><w:body>{body}</w:body>'
            "</w:document>",
        }
    )


def zipped(files: dict[str, str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def paragraph(text: str, style: str = "") -> str:
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:t>{text}</w:t></w:r></w:p>"


def pdf(*pages: str, image: bool = False) -> bytes:
    """Return a PDF with one line of text a page; no text, no line."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    pixel = "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
    objects.append(pixel + "/BitsPerComponent 8 /Length 1 >>\nstream\nA\nendstream")
    kids = []
    for text in pages:
        drawn = f"BT /F1 12 Tf 40 700 Td ({text}) Tj ET" if text else ""
        drawn += " q 100 0 0 100 40 40 cm /I Do Q" if image else ""
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources "
            "<< /Font << /F1 3 0 R >> /XObject << /I 4 0 R >> >> "
            f"/Contents {len(objects) + 2} 0 R >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(pages)} >>"
    body = "".join(f"{n} 0 obj\n{o}\nendobj\n" for n, o in enumerate(objects, start=1))
    return f"%PDF-1.4\n{body}trailer << /Root 1 0 R /Size {len(objects) + 1} >>\n%%EOF".encode()
