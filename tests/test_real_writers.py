"""Files made by the libraries that people's programs are made of, read back."""

import zipfile

import docx
import openpyxl
import polars as pl
import pptx
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from graphrag_assets.readers import read_corpus
from graphrag_assets.settings import CorpusSettings
from graphrag_assets.tables import TABLES

PAGES = ("The Aurora sailed on Monday.", "She carried a letter.", "It reached the governor.")
CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>"""
PACKAGE = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Aurora</dc:title>
<dc:identifier id="id">x</dc:identifier><dc:language>en</dc:language></metadata>
<manifest><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""


def write_pdf(path):
    pages = canvas.Canvas(str(path), pagesize=A4)
    for text in PAGES:
        pages.drawString(72, 720, text)
        pages.showPage()
    pages.save()


def write_docx(path):
    document = docx.Document()
    document.add_heading("The Aurora", level=1)
    document.add_paragraph(PAGES[0])
    table = document.add_table(rows=2, cols=2)
    for row, cells in zip(table.rows, [("Port", "Day"), ("Halden", "Tuesday")], strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    document.add_paragraph(PAGES[1])
    document.save(path)


def write_pptx(path):
    deck = pptx.Presentation()
    for text in PAGES:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = "The Aurora"
        slide.placeholders[1].text = text
    deck.save(path)


def write_xlsx(path):
    book = openpyxl.Workbook()
    book.active.title = "Ports"
    for row in [("port", "boats"), ("Halden", 41), ("Kestrel Point", 19)]:
        book.active.append(row)
    book.create_sheet("Crew").append(["Ida Holm", "skipper"])
    book.save(path)


def write_html(path):
    path.write_text(
        "<!doctype html><html><head><title>The Aurora</title><script>track()</script></head>"
        f"<body><h1>The Aurora</h1><p>{PAGES[0]}</p><ul><li>one</li><li>two</li></ul>"
        "</body></html>",
        "utf-8",
    )


def write_epub(path):
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("book.opf", PACKAGE)
        for name, text in (("a", PAGES[0]), ("b", PAGES[1])):
            book.writestr(f"{name}.xhtml", f"<html><body><p>{text}</p></body></html>")


WRITERS = {
    "pdf": (write_pdf, PAGES),
    "docx": (write_docx, (PAGES[0], "Halden", "Tuesday", PAGES[1])),
    "pptx": (write_pptx, PAGES),
    "xlsx": (write_xlsx, ("Halden", "41", "Kestrel Point", "Ida Holm")),
    "html": (write_html, (PAGES[0], "one", "two")),
    "epub": (write_epub, PAGES[:2]),
}


def read(folder):
    found = read_corpus(
        CorpusSettings(root=str(folder)),
        base=folder,
        previous_files=TABLES["files"].create_empty(),
        previous_documents=TABLES["documents"].create_empty(),
        encoding="o200k_base",
    )
    assert found.files["status"].unique().to_list() == ["indexed"]
    return found.documents


@pytest.mark.parametrize("kind", WRITERS)
def test_the_text_comes_out_in_its_order(tmp_path, kind):
    write, said = WRITERS[kind]
    write(tmp_path / f"aurora.{kind}")
    text = "\n".join(read(tmp_path)["text"])
    places = [text.find(words) for words in said]

    assert -1 not in places
    assert places == sorted(places)
    assert "track()" not in text


@pytest.mark.parametrize(("kind", "pages"), [("pdf", PAGES), ("epub", PAGES[:2])])
def test_each_page_begins_where_it_says(tmp_path, kind, pages):
    WRITERS[kind][0](tmp_path / f"aurora.{kind}")
    (row,) = read(tmp_path).select("text", "pages").iter_rows(named=True)
    starts = [page["start_char"] for page in row["pages"]]

    assert [page["page"] for page in row["pages"]] == list(range(1, len(pages) + 1))
    for start, words in zip(starts, pages, strict=True):
        assert row["text"][start:].lstrip().startswith(words)


def test_each_sheet_and_slide_is_told_apart(tmp_path):
    write_xlsx(tmp_path / "ports.xlsx")
    write_pptx(tmp_path / "deck.pptx")
    texts = dict(read(tmp_path).select("path", "text").iter_rows())

    assert "Ports" in texts["ports.xlsx"]
    assert "Crew" in texts["ports.xlsx"]
    assert texts["deck.pptx"].count("# The Aurora") == len(PAGES)


def test_what_is_read_twice_is_the_same(tmp_path):
    for kind, (write, _) in WRITERS.items():
        write(tmp_path / f"aurora.{kind}")

    assert pl.concat([read(tmp_path), read(tmp_path)]).unique().height == len(read(tmp_path))
