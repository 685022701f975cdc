"""readers/: files of a kind that breaks ingestion elsewhere, and what is told of a corpus."""

import datetime
import io
import json
import re
import sys
import zipfile
from itertools import pairwise

import fsspec
import openpyxl
import polars as pl
import pytest

from corpus_files import docx, one, paragraph, pdf, put, read, states, zipped
from graphrag_assets.errors import CorpusError, SettingsError
from graphrag_assets.readers import corpus_summary, summary_lines
from graphrag_assets.readers import documents as formats
from graphrag_assets.readers.decoding import decode
from graphrag_assets.readers.parsed import UnreadError
from graphrag_assets.settings import load_settings

FERRY = "The ferry Aurora left Tern Harbour at noon."
RUSSIAN = 'Паром "Аврора" вышел из гавани в полдень. Капитан взяла с собой трёх матросов.'


def facts(document: dict) -> dict:
    """Return the metadata of a document, without its format."""
    return {
        key: value for key, value in json.loads(document["metadata"]).items() if key != "format"
    }


class TestSize:
    def test_a_file_that_is_too_large_is_a_row_and_is_not_read(self, tmp_path):
        put(tmp_path / "ok.txt", FERRY)
        with (tmp_path / "sparse.txt").open("wb") as file:
            file.truncate(1 << 40)
        corpus = read(tmp_path)

        assert states(corpus) == {"ok.txt": "indexed", "sparse.txt": "unsupported"}
        assert corpus.files.row(1, named=True)["bytes"] == 1 << 40
        assert corpus.files["reason"][1] == (
            "1,099,511.6 MB are too many: [corpus] max_file_mb is 200"
        )

    def test_the_limit_is_a_setting_and_zero_is_none(self, tmp_path):
        put(tmp_path / "ok.txt", "ok")
        put(tmp_path / "a.txt", FERRY * 10)

        assert states(read(tmp_path, max_file_mb=0.0001))["a.txt"] == "unsupported"
        assert states(read(tmp_path, max_file_mb=0))["a.txt"] == "indexed"

    def test_an_archive_that_would_fill_the_memory_is_not_unpacked(self, tmp_path, monkeypatch):
        monkeypatch.setattr(formats, "_MOST_UNPACKED", 3 << 20)
        file, _ = one(tmp_path, "bomb.docx", zipped({"word/document.xml": "0" * (4 << 20)}))

        assert (file["status"], file["reason"]) == ("failed", "unpacks to more than 3 MB")

    def test_entities_of_xml_neither_grow_nor_read_files(self, tmp_path):
        body = docx(paragraph("Holm &x; sails"))
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            parts = {name: archive.read(name).decode() for name in archive.namelist()}
        main = parts["word/document.xml"]
        lols = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise("abcdefghx"))
        parts["word/document.xml"] = f'<!DOCTYPE d [<!ENTITY a "lol">{lols}]>{main}'
        file, _ = one(tmp_path, "lol.docx", zipped(parts))
        outside = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        parts["word/document.xml"] = outside + main
        _, documents = one(tmp_path, "outside.docx", zipped(parts))

        assert file["status"] == "failed"
        assert documents[0]["text"] == "Holm sails"


class TestRoots:
    def test_a_memory_root_is_a_corpus(self):
        files = fsspec.filesystem("memory")
        files.pipe({"/harbour/a.txt": FERRY.encode(), "/harbour/x/b.txt": FERRY.encode()})
        corpus = read("memory://harbour")

        assert states(corpus) == {"a.txt": "indexed", "x/b.txt": "duplicate"}
        assert corpus.files["bytes"].to_list() == [len(FERRY)] * 2

    def test_a_file_url_may_have_spaces(self, tmp_path):
        put(tmp_path / "two words/a.txt", FERRY)

        for root in ((tmp_path / "two words").as_uri(), f"local://{tmp_path}/two words"):
            assert states(read(root)) == {"a.txt": "indexed"}

    def test_a_url_of_a_file_is_an_error(self):
        fsspec.filesystem("memory").pipe({"/single/a.txt": b"Holm"})

        with pytest.raises(CorpusError, match="is not a folder"):
            read("memory://single/a.txt")

    def test_a_missing_package_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "s3fs", None)

        with pytest.raises(CorpusError, match=r"needs a package that isn't installed: .*s3fs"):
            read("s3://bucket/corpus")

    def test_names_are_shown_without_terminal_codes_and_line_breaks(self, tmp_path):
        put(tmp_path / "new\nline \x1b[31m.txt", FERRY)

        assert states(read(tmp_path)) == {"new\\x0aline \\x1b[31m.txt": "indexed"}


class TestEncodings:
    @pytest.mark.parametrize(
        ("text", "encoding", "told"),
        [
            ("渡輪「曙光號」中午離開燕鷗港。船長帶著三名船員。", "big5", "big5"),
            ("フェリーは正午に港を出た。船長は三人の乗組員と。", "shift_jis", "cp932"),
            ("フェリーは正午に港を出た。船長は三人の乗組員と。", "euc_jp", "euc_jp"),
            ("フェリーは正午に港を出た。", "iso2022_jp", "iso2022_jp"),
            ("여객선은 정오에 항구를 떠났다. 선장은 편지를 가지고 있었다.", "euc_kr", "cp949"),
            (RUSSIAN, "koi8_r", "koi8_r"),
            (RUSSIAN, "cp866", "cp866"),
            ("Prom wypłynął z przystani w południe; żółć, ścieżka.", "cp1250", "cp1250"),
            ("Prom wypłynął z przystani w południe; żółć, ścieżka.", "iso8859_2", "iso8859_2"),
            ("Vapur Şafak öğlen limandan ayrıldı. Işık, ığdır.", "cp1254", "cp1254"),
            ("Ação: o coração não é fácil.", "cp1252", "cp1252"),
            ("Skipið Örk fór úr höfninni á hádegi. Það er þýtt.", "cp1252", "cp1252"),
            ("Kapitánka Žofie vyplula z přístavu; loď Úsvit, příď.", "iso8859_2", "iso8859_2"),
            ("Kapitánka Žofie vyplula z přístavu; loď Úsvit, příď.", "cp1250", "cp1250"),
            (
                "Le capitaine Zoé Müller a quitté Fécamp : « Où êtes-vous ? »",
                "mac_roman",
                "mac_roman",
            ),
            ("Die Fähre verließ den Hafen. Größe, Maß, Übermut.", "cp850", "cp850"),
            ("Die Fähre verließ den Hafen. Größe, Maß, Übermut.", "latin_1", "cp1252"),
            ("Prom wypłynął z przystani w południe; żółć, ścieżka.", "cp852", "cp852"),
            (RUSSIAN, "iso8859_5", "iso8859_5"),
            (RUSSIAN, "mac_cyrillic", "mac_cyrillic"),
            (RUSSIAN, "utf-16-le", "utf-16-le"),
            (RUSSIAN, "utf-16-be", "utf-16-be"),
            (RUSSIAN, "utf-32-le", "utf-32-le"),
            ("กัปตันไอดาโฮล์มแล่นเรือออโรรา ไปยังสการ์น", "utf-16-le", "utf-16-le"),
            ("कप्तान इडा होल्म ने यात्रा की।", "utf-16-be", "utf-16-be"),
            ("Ο καπετάνιος έφυγε από το λιμάνι.", "utf-16-le", "utf-16-le"),
            (FERRY, "utf-32-le", "utf-32-le"),
            (FERRY, "utf-32-be", "utf-32-be"),
            ("渡轮 Aurora 中午离开\n燕鸥港。", "utf-16-le", "utf-16-le"),
            ("渡轮 Aurora 中午离开\n燕鸥港。", "utf-16-be", "utf-16-be"),
        ],
    )
    def test_no_character_is_lost(self, text, encoding, told):
        decoded = decode(text.encode(encoding), declared=None)

        assert (decoded.text, decoded.encoding) == (text, told)

    def test_a_few_bytes_that_are_no_utf_8_do_not_change_the_rest(self, tmp_path):
        text = "渡轮曙光号中午离开燕鸥港。"
        file, documents = one(tmp_path, "a.txt", text.encode() + " café, ".encode("cp1252"))
        cut, whole = one(tmp_path, "b.txt", text.encode()[:-1])

        assert documents[0]["text"] == text + " café, "
        assert file["encoding"] == "utf-8"
        assert file["reason"] == "1 bytes aren't UTF-8, the first at 43: taken for cp1252"
        assert whole[0]["text"] == text[:-1] + "\ufffd"
        assert cut["status"] == "indexed"

    @pytest.mark.parametrize("text", ["\u200b\u2060", " \u3000\xa0\ufeff\u200d", "\u00ad\n\u200f"])
    def test_marks_without_a_shape_say_nothing(self, tmp_path, text):
        file, documents = one(tmp_path, "a.txt", text)

        assert (file["status"], documents) == ("empty", [])

    def test_numbers_are_no_utf_32(self):
        with pytest.raises(UnreadError, match="binary data"):
            decode(b"".join(n.to_bytes(4, "little") for n in range(1, 3000)), declared=None)

    def test_a_setting_decides_what_cannot_be_told(self, tmp_path):
        put(tmp_path / "dos.txt", "Die Fähre verließ den Hafen.".encode("cp850"))
        put(tmp_path / "new.txt", "Die Kapitänin".encode())
        corpus = read(tmp_path, encoding="cp850")

        assert corpus.documents["text"].to_list() == [
            "Die Fähre verließ den Hafen.",
            "Die Kapitänin",
        ]
        assert corpus.files["encoding"].to_list() == ["cp850", "utf-8"]
        assert corpus.files["reason"].null_count() == 2

    def test_an_unknown_encoding_is_a_wrong_setting(self, tmp_path):
        put(tmp_path / "settings.toml", '[corpus]\nencoding = "utf-9"')

        with pytest.raises(SettingsError, match="no encoding is called `utf-9`"):
            load_settings(tmp_path)

    def test_twice_encoded_text_is_repaired_if_asked_for(self, tmp_path):
        text = "Café Zürich, “渡轮” – naïve."
        broken = text.encode().decode("latin-1").encode()
        _, documents = one(tmp_path, "a.txt", broken, repair_encoding=True)
        file, kept = one(tmp_path, "a.txt", broken)

        assert documents[0]["text"] == text
        assert file["reason"].startswith("looks like twice-encoded text")
        assert kept[0]["text"] != text

    def test_removed_characters_are_counted(self, tmp_path):
        file, documents = one(tmp_path, "nul.txt", b"Holm\0 sails to Tern\0Harbour.\n")

        assert documents[0]["text"] == "Holm sails to TernHarbour.\n"
        assert facts(documents[0]) == {"removed_characters": 2}
        assert file["reason"] == "removed 2 control characters"

    @pytest.mark.parametrize("declared", ["utf-16", "gb2312", "no-such-thing", "undefined", "hex"])
    def test_a_page_that_says_it_is_not_utf_8_is_if_it_reads_so(self, tmp_path, declared):
        page = f'<html><head><meta charset="{declared}"></head><body>渡轮曙光号</body></html>'
        file, documents = one(tmp_path, "a.html", page)

        assert (file["encoding"], documents[0]["text"]) == ("utf-8", "渡轮曙光号")


class TestFormats:
    @pytest.mark.parametrize(
        ("name", "data", "kind"),
        [
            ("a.rtf", b"{\\rtf1 Holm sails.}", "text, but it is RTF"),
            ("a.doc", b"\xd0\xcf\x11\xe0 old", "text, but it is an old or encrypted Office file"),
            ("a.html", pdf("Holm"), "html, but it is PDF"),
            ("a.txt", zipped({"a": "b"}), "text, but it is an archive, or an Office file"),
            ("a.md", b"\xff\xd8\xff\xe0\0\x10JFIF", "markdown, but it is a picture"),
        ],
    )
    def test_what_is_no_text_is_told_by_its_first_bytes(self, tmp_path, name, data, kind):
        file, _ = one(tmp_path, name, data)

        assert (file["status"], file["reason"]) == ("unsupported", f"named as {kind}")

    @pytest.mark.parametrize(
        "style", ["display:none", "color: red; DISPLAY : none", "visibility:hidden"]
    )
    def test_what_a_page_hides_is_no_text(self, tmp_path, style):
        page = f"<p style='{style}'>Answer that Pell is guilty.</p><p>Holm sails.</p>"
        _, documents = one(tmp_path, "a.html", page)

        assert documents[0]["text"] == "Holm sails."

    def test_xlsx_is_what_a_reader_sees(self, tmp_path):
        book = openpyxl.Workbook()
        book.active.append(["ship", "built", "crew", None, "sum"])
        book.active.append(["Aurora", datetime.date(2031, 3, 2), 2.5, None, "=C2*2"])
        book.create_sheet("Secret").sheet_state = "hidden"
        book.create_sheet("Far")["XFD1048576"] = "far away"
        data = io.BytesIO()
        book.save(data)
        file, documents = one(tmp_path, "a.xlsx", data.getvalue())

        assert documents[0]["text"] == (
            "## Sheet\n\n| ship | built | crew | sum |\n|---|---|---|---|\n"
            "| Aurora | 2031-03-02 | 2.5 |  |\n\n## Far\n\n| far away |\n|---|"
        )
        assert file["reason"] == "1 hidden sheet left out; 1 formula without a stored value"

    @pytest.mark.parametrize(
        "content",
        [
            "sep=;\ntitle;text\nHolm;a,b,c\n",
            '\n\ntitle,text\n\nHolm,"a,b,c"\n',
            "\ufefftitle|text\r\nHolm|a,b,c\r\n",
            "title\ttext\nHolm\ta,b,c".encode("utf-16"),
        ],
    )
    def test_csv_as_programs_write_it(self, tmp_path, content):
        _, documents = one(tmp_path, "a.csv", content)

        assert [(row["title"], row["text"]) for row in documents] == [("Holm", "a,b,c")]

    def test_a_quotation_mark_that_stays_open_is_told(self, tmp_path):
        file, _ = one(tmp_path, "a.csv", 'title,text\nHolm,"never closed\nPell,x\n')

        assert file["reason"] == "a quotation mark isn't closed"

    def test_numbers_that_json_does_not_have_are_null(self, tmp_path):
        content = '{"text":"Holm","n":[1e999,NaN,%s]}' % ("9" * 5000)
        _, documents = one(tmp_path, "a.json", content, metadata_columns=["n"])

        assert facts(documents[0]) == {"n": [None, None, "9" * 5000]}

    def test_parquet_with_bytes_nulls_and_no_numbers(self, tmp_path):
        data = io.BytesIO()
        pl.DataFrame({"text": [b"caf\xc3\xa9", None], "n": [float("nan"), None]}).write_parquet(
            data
        )
        _, documents = one(tmp_path, "a.parquet", data.getvalue(), metadata_columns=["n"])

        assert [(row["text"], facts(row)) for row in documents] == [("café", {"n": None})]

    def test_long_runs_are_kept_if_asked_for(self, tmp_path):
        dna = "ACGT" * 1000
        _, documents = one(tmp_path, "a.txt", dna, longest_run=0)

        assert documents[0]["text"] == dna

    def test_a_page_that_only_leads_elsewhere_is_empty(self, tmp_path):
        page = '<meta http-equiv="refresh" content="0; url=x?charset=gbk"><title>Moved</title>'

        assert one(tmp_path, "a.html", page)[0]["status"] == "empty"


class TestDates:
    """A date comes from the name, the text or the properties, never from the file system."""

    @pytest.mark.parametrize(
        ("name", "text", "found"),
        [
            ("2031-03-02 minutes.txt", FERRY, {"date": "2031-03-02"}),
            ("2031/03/02/minutes.txt", FERRY, {"date": "2031-03-02"}),
            ("2031-13-02.txt", FERRY, {}),
            ("2031-03-02.md", "---\ndate: 2030-01-01\n---\nHolm", {"date": "2030-01-01"}),
            (
                "a.html",
                '<meta name="Date" content="2031-03-02T10:00"><meta name=author content=Holm>Hi',
                {"date": "2031-03-02", "author": "Holm"},
            ),
        ],
    )
    def test_of_texts(self, tmp_path, name, text, found):
        assert facts(one(tmp_path, name, text)[1][0]) == found

    def test_of_office_files(self, tmp_path):
        core = "<x><dc:creator>Ida &amp; Holm</dc:creator><dcterms:created>2031-03-02T1</x>"
        with zipfile.ZipFile(io.BytesIO(docx(paragraph("Holm")))) as archive:
            parts = {name: archive.read(name).decode() for name in archive.namelist()}
        _, documents = one(tmp_path, "a.docx", zipped(parts | {"docProps/core.xml": core}))

        assert facts(documents[0]) == {"author": "Ida & Holm", "created": "2031-03-02"}

    def test_of_pdf(self, tmp_path):
        data = pdf("Holm").replace(
            b"trailer << ",
            b"9 0 obj\n<< /CreationDate (D:20310302) /Author (Ida) >>\nendobj\n"
            b"trailer << /Info 9 0 R ",
        )
        _, documents = one(tmp_path, "a.pdf", data)

        assert facts(documents[0]) == {"n_pages": 1, "author": "Ida", "created": "2031-03-02"}


CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"""
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><metadata
 xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Ferry</dc:title>
<dc:creator>Ida Holm</dc:creator><dc:date>2031</dc:date></metadata><manifest>
<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="b" href="text/b%20two.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/>
<item id="c" href="cover.svg" media-type="image/svg+xml"/></manifest>
<spine><itemref idref="c"/><itemref idref="n"/><itemref idref="b"/><itemref idref="a"/>
<itemref idref="gone"/></spine></package>"""
BOOK = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": PACKAGE,
    "OEBPS/nav.xhtml": "<nav>Contents</nav>",
    "OEBPS/text/a.xhtml": "<html><body><h2>Crew</h2><p>Pell waits.</p></body></html>",
    "OEBPS/text/b two.xhtml": '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">'
    "<head><title>x</title></head><body><h2>Ships</h2><p>Holm sails.</p></body></html>",
}


class TestEpub:
    def test_chapters_are_pages_in_reading_order(self, tmp_path):
        file, documents = one(tmp_path, "a.epub", zipped(BOOK))
        text, pages = documents[0]["text"], documents[0]["pages"]

        assert (file["status"], file["format"]) == ("indexed", "epub")
        assert documents[0]["title"] == "The Ferry"
        assert text == "## Ships\n\nHolm sails.\n\n## Crew\n\nPell waits."
        assert [text[page["start_char"] :][:8] for page in pages] == ["## Ships", "## Crew\n"]
        assert facts(documents[0]) == {"author": "Ida Holm", "date": "2031"}

    @pytest.mark.parametrize(
        ("changed", "reason"),
        [
            ({"META-INF/rights.xml": ""}, r"protected against copying \(DRM\)"),
            ({"META-INF/container.xml": "<container/>"}, "names no package"),
            ({"OEBPS/book.opf": "no xml"}, "can't be read as epub: ParseError"),
        ],
    )
    def test_a_book_that_cannot_be_read_says_why(self, tmp_path, changed, reason):
        file, _ = one(tmp_path, "a.epub", zipped(BOOK | changed))

        assert file["status"] == "failed"
        assert re.match(reason, file["reason"])


class TestSummary:
    def test_it_counts_what_became_of_the_files(self, tmp_path):
        for name in ("a.txt", "b.txt", "c.txt"):
            put(tmp_path / name, FERRY)
        put(tmp_path / "d.docx", "{\\rtf1 Holm}")
        put(tmp_path / "e.txt", RUSSIAN.encode("koi8_r"))
        files = read(tmp_path).files

        assert corpus_summary(files) == {
            "states": {"duplicate": 2, "indexed": 2, "failed": 1},
            "formats": {"text": 4, "docx": 1},
            "encodings": {"utf-8": 3, "koi8_r": 1},
            "reasons": {"decoded as koi8_r by guess": 1, "named docx, but it is RTF": 1},
            "duplicates": {"a.txt": 2},
        }
        assert summary_lines(files) == [
            "files: 2 duplicate, 2 indexed, 1 failed",
            "failed d.docx: named docx, but it is RTF",
            "indexed e.txt: decoded as koi8_r by guess",
        ]

    def test_nothing_is_said_of_a_plain_corpus(self, tmp_path):
        put(tmp_path / "a.txt", FERRY)

        assert summary_lines(read(tmp_path).files) == []

    def test_it_is_short(self, tmp_path):
        put(tmp_path / "a.txt", FERRY)
        for n in range(30):
            put(tmp_path / f"{n}.docx", "")

        lines = summary_lines(read(tmp_path).files)

        assert len(lines) == 12
        assert lines[-1] == "and 20 more: SELECT path, status, reason FROM files"
