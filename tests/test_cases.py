"""readers/: the documents that come of each format, and of files that break ingestion elsewhere."""

import base64
import io
import json

import openpyxl
import polars as pl
import pptx
import pytest

from corpus_files import docx, one, paragraph, pdf, put, read, states, zipped

FERRY = "The ferry Aurora left Tern Harbour at noon."


class TestMarkdownAndText:
    def test_the_title_is_the_first_heading_and_the_lines_below_it_are_metadata(self, tmp_path):
        text = "# Works board\n\nDate: 2031-03-02\n**Kind:** minutes\n\nNote: Holm chaired.\n"
        _, documents = one(tmp_path, "board.md", text)

        assert documents[0]["title"] == "Works board"
        assert documents[0]["text"] == text
        assert json.loads(documents[0]["metadata"]) == {
            "date": "2031-03-02",
            "kind": "minutes",
            "format": "markdown",
        }

    def test_front_matter_is_metadata_and_no_text(self, tmp_path):
        text = "---\ntitle: 'Fleet'\ntags: [a, b]\nby:\n- Holm\n- Pell\n---\n# Ships\n\nAurora.\n"
        _, documents = one(tmp_path, "t.md", text)

        assert documents[0]["title"] == "Fleet"
        assert documents[0]["text"] == "# Ships\n\nAurora.\n"
        assert json.loads(documents[0]["metadata"]) == {
            "title": "Fleet",
            "tags": ["a", "b"],
            "by": ["Holm", "Pell"],
            "format": "markdown",
        }

    def test_a_rule_at_the_top_is_no_front_matter(self, tmp_path):
        _, documents = one(tmp_path, "t.md", "---\nIt rained.\n---\nHolm left.\n")

        assert documents[0]["text"] == "---\nIt rained.\n---\nHolm left.\n"

    def test_header_fields_at_the_top_are_metadata(self, tmp_path):
        _, documents = one(tmp_path, "a.rst", "PEP: 13\nTitle: Governance\n\nAbstract\n====\n")

        assert documents[0]["title"] == "Governance"
        assert json.loads(documents[0]["metadata"])["pep"] == "13"

    def test_a_comment_in_code_is_no_heading(self, tmp_path):
        _, documents = one(tmp_path, "a.md", "Run:\n```\n# not a title\n```\n# Real\n")

        assert documents[0]["title"] == "Real"

    def test_a_text_without_a_title_is_named_after_its_file(self, tmp_path):
        _, documents = one(tmp_path, "sub/my notes.v2.txt", FERRY)

        assert documents[0]["title"] == "my notes.v2"

    def test_embedded_data_is_left_out_and_said_so(self, tmp_path):
        text = "![ship](data:image/png;base64,AAAA) end. " + "iVBOR" * 1000 + " Pell."
        _, documents = one(tmp_path, "a.md", text)

        assert documents[0]["text"] == "ship end. [5000 characters of encoded data] Pell."

    def test_an_unknown_ending_is_read_as_text_if_it_is_some(self, tmp_path):
        put(tmp_path / "README", FERRY)
        put(tmp_path / "photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0")

        assert states(read(tmp_path)) == {"README": "indexed", "photo.jpg": "unsupported"}


class TestRecords:
    def test_csv_quotes_newlines_and_delimiters(self, tmp_path):
        rows = (
            'id,title,text\n1,"Holm, Ida","She said ""sail!"",\n\nNew; still 1"\n2,Pell,"back \\"\n'
        )
        _, documents = one(tmp_path, "q.csv", rows, id_column="id", metadata_columns=["id"])

        assert [(row["record"], row["title"], row["text"]) for row in documents] == [
            ("1", "Holm, Ida", 'She said "sail!",\n\nNew; still 1'),
            ("2", "Pell", "back \\"),
        ]
        assert json.loads(documents[1]["metadata"]) == {"format": "csv", "id": "2"}

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("semi.csv", 'id;title;text\n1;Holm;"a;b"\n'),
            ("tabs.csv", "id\ttitle\ttext\n1\tHolm\ta;b\n"),
            ("tabs.tsv", "id\ttitle\ttext\n1\tHolm\ta;b\n"),
            ("bom.csv", "\ufeffText ,TITLE\na;b,Holm\n"),
        ],
    )
    def test_csv_dialects_are_told_from_the_header(self, tmp_path, name, content):
        _, documents = one(tmp_path, name, content)

        assert [(row["title"], row["text"]) for row in documents] == [("Holm", "a;b")]

    @pytest.mark.parametrize(
        ("name", "content", "reason"),
        [
            (
                "no.csv",
                "id,body\n1,Holm\n",
                "column `text` not found; columns are id, body; set [corpus] text_column",
            ),
            ("dup.csv", "text,text\na,b\n", "column `text` stands 2 times"),
            ("comments.json", '// export\n{"text":"Holm"}', "not JSON: Expecting value: line 1"),
            ("trailing.json", '[{"text":"Holm"},]', "not JSON: "),
            ("deep.json", "[" * 100_000, "JSON is nested too deeply"),
            ("dup.json", '{"text":"Holm","text":"Pell"}', "key `text` stands twice"),
            ("wrapped.json", '{"data":{"items":[]}}', "no text at `text`; keys are data; set"),
            ("bad.jsonl", "nothing\nhere", "not JSON"),
            ("number.json", "12", "no records"),
            ("nulls.json", '[{"text":null},7]', "record 1 has no text; record 2 is not an object"),
        ],
    )
    def test_what_is_wrong_with_a_file_of_records_is_said(self, tmp_path, name, content, reason):
        file, documents = one(tmp_path, name, content)

        assert (file["status"], documents) == ("failed", [])
        assert file["reason"].startswith(reason)

    @pytest.mark.parametrize(
        ("name", "content"), [("empty-array.json", "[]"), ("header-only.csv", "id,text\n")]
    )
    def test_no_records_are_an_empty_file(self, tmp_path, name, content):
        assert one(tmp_path, name, content)[0]["status"] == "empty"

    @pytest.mark.parametrize(
        ("name", "content", "texts"),
        [
            ("a.json", '[{"title":"a","text":"Holm"},{"text":"Pell"}]', ["Holm", "Pell"]),
            ("one.json", '\ufeff{"text":"Holm"}', ["Holm"]),
            ("lines.json", '{"text":"Holm"}\n{"text":"Pell"}\n', ["Holm", "Pell"]),
            ("pretty.jsonl", '{\n "text": "Holm"\n}', ["Holm"]),
            ("strings.json", '["Holm", "Pell"]', ["Holm", "Pell"]),
            ("nan.json", '{"text":"Holm","score":NaN}', ["Holm"]),
            ("half.json", '[{"text":"Holm \\udc9a sails"}]', ["Holm \ufffd sails"]),
            ("seps.jsonl", '{"text":"a\u2028b"}\n{"text":["c","d"]}', ["a\u2028b", "c\n\nd"]),
        ],
    )
    def test_json_shapes_are_told_by_the_content(self, tmp_path, name, content, texts):
        _, documents = one(tmp_path, name, content)

        assert [row["text"] for row in documents] == texts

    def test_bad_lines_are_named_and_the_others_read(self, tmp_path):
        lines = '{"text":"Holm"}\n\n{"text":"Pell"}\n[1,2]\nnot json\n{"text":null}\n'
        file, documents = one(tmp_path, "lines.jsonl", lines)

        assert [row["record"] for row in documents] == ["1", "3"]
        assert file["reason"].startswith("line 5: not JSON")
        assert file["reason"].endswith("record 4 is not an object; record 6 has no text")

    def test_nested_columns_have_paths(self, tmp_path):
        content = '{"data":{"items":[{"meta":{"title":"a"},"content":{"text":"Holm"}}]}}'
        _, documents = one(
            tmp_path,
            "wrapped.json",
            content,
            text_column="data.items[].content.text",
            title_column="meta.title",
        )

        assert [(row["title"], row["text"]) for row in documents] == [("a", "Holm")]

    def test_records_with_one_id_stay_two_documents(self, tmp_path):
        _, documents = one(tmp_path, "a.csv", "id,text\n7,Holm\n7,Holm\n", id_column="id")

        assert [row["record"] for row in documents] == ["7", "7~2"]
        assert len({row["id"] for row in documents}) == 2

    def test_a_field_may_be_long(self, tmp_path):
        _, documents = one(tmp_path, "a.csv", "id,text\n1," + "Holm sails. " * 20_000)

        assert len(documents[0]["text"]) > 200_000

    def test_parquet(self, tmp_path):
        data = io.BytesIO()
        pl.DataFrame(
            {"Text": ["Holm", None], "title": ["a", "b"], "year": [2031, 2032], "x": [[1], [2]]}
        ).write_parquet(data)
        file, documents = one(tmp_path, "a.parquet", data.getvalue(), metadata_columns=["year"])

        assert [(row["title"], row["text"], row["metadata"]) for row in documents] == [
            ("a", "Holm", '{"format": "parquet", "year": 2031}')
        ]
        assert file["reason"] == "1 records have no text"


# An empty page behind the password "secret".
ENCRYPTED = """
JVBERi0xLjMKJeLjz9MKMSAwIG9iago8PAovUHJvZHVjZXIgPDk3MmUwMzdkZTY5M2M0NTg2YjUxNjg2NTZkNDk5YjFjYzBh
M2ZkMWU3ZDI4ZjQyYzRmMzQ2YTVkMDE1MGRmY2E+Cj4+CmVuZG9iagoyIDAgb2JqCjw8Ci9UeXBlIC9QYWdlcwovQ291bnQg
MQovS2lkcyBbIDQgMCBSIF0KPj4KZW5kb2JqCjMgMCBvYmoKPDwKL1R5cGUgL0NhdGFsb2cKL1BhZ2VzIDIgMCBSCj4+CmVu
ZG9iago0IDAgb2JqCjw8Ci9Db250ZW50cyA1IDAgUgovUmVzb3VyY2VzIDYgMCBSCi9UeXBlIC9QYWdlCi9NZWRpYUJveCBb
IDAgMCA1OTUuMjggODQxLjg5IF0KL1BhcmVudCAyIDAgUgo+PgplbmRvYmoKNSAwIG9iago8PAovRmlsdGVyIC9GbGF0ZURl
Y29kZQovTGVuZ3RoIDExMgo+PgpzdHJlYW0KDY4YfzwpXCe/NbLk9XRvSgFKzCWVrVxgOVFz5ADZN75a8lzg7zFtzZwWS9yp
/CWZ2tZdwW4csP1TUqShIjJucsZ5iD19yZ6YntsFBEU+AfzPAXTUkbKHRr+43yQhHXsmy2y962CJa75E46JaMXWXvwplbmRz
dHJlYW0KZW5kb2JqCjYgMCBvYmoKPDwKL0ZvbnQgPDwKL0YxIDcgMCBSCj4+Ci9Qcm9jU2V0IFsgL1BERiAvVGV4dCAvSW1h
Z2VCIC9JbWFnZUMgL0ltYWdlSSBdCj4+CmVuZG9iago3IDAgb2JqCjw8Ci9CYXNlRm9udCAvSGVsdmV0aWNhCi9FbmNvZGlu
ZyAvV2luQW5zaUVuY29kaW5nCi9TdWJ0eXBlIC9UeXBlMQovVHlwZSAvRm9udAo+PgplbmRvYmoKOCAwIG9iago8PAovViA1
Ci9SIDYKL0xlbmd0aCAyNTYKL1AgNDI5NDk2NzI5MgovRmlsdGVyIC9TdGFuZGFyZAovTyA8ZDVhMWViZjdkYTRjYWQzYzY2
MDhkZTE5YTBiZDJhNmU5NWI3YzdkMDQ0ZTBhMzU2MGZjNWYzZDVlZjI4Njc1OGIzOTZmMjE3ZDg5M2NiNjE4YWFmMWZjYzY0
ZTAxNGVlPgovVSA8MTE4OTBhZWVkZWI4NTg0ZTI1MmIzYzJhNmZiZDQ1M2UzMmMwNzk3ZWE0NTI4NzJlN2FiZDJjNjZhMGM5
MWEzNzc1ODhlZGE2MWNhNDRkZGY4YzBiMTVkMGU4OTM5NzU3PgovQ0YgPDwKL1N0ZENGIDw8Ci9BdXRoRXZlbnQgL0RvY09w
ZW4KL0NGTSAvQUVTVjMKL0xlbmd0aCAzMgo+Pgo+PgovU3RtRiAvU3RkQ0YKL1N0ckYgL1N0ZENGCi9PRSA8MTA3Nzg1N2Vj
MzI4NmEwYzJjYjE4MGRjMGVhODAwZDI4YTk2MGRmMmY0NTI2NWU2MzE0YmVkZjk5YjIwOGJkNz4KL1VFIDwyYmY5NzYxMjNm
YjAwOTRmNWYxNWQ4MTBkZjgwNzI5MGZlYzc2OWEwNjc1OTZmZDNhYzA3NGVkMzk2YjhkYzk0PgovUGVybXMgPGE5OTg1ZDNj
ZTBjNjEyN2RhMTQxNTk2ZTk4YjJlZWMwPgo+PgplbmRvYmoKeHJlZgowIDkKMDAwMDAwMDAwMCA2NTUzNSBmIAowMDAwMDAw
MDE1IDAwMDAwIG4gCjAwMDAwMDAxMTMgMDAwMDAgbiAKMDAwMDAwMDE3MiAwMDAwMCBuIAowMDAwMDAwMjIxIDAwMDAwIG4g
CjAwMDAwMDAzMzMgMDAwMDAgbiAKMDAwMDAwMDUxNyAwMDAwMCBuIAowMDAwMDAwNjA4IDAwMDAwIG4gCjAwMDAwMDA3MDUg
MDAwMDAgbiAKdHJhaWxlcgo8PAovU2l6ZSA5Ci9Sb290IDMgMCBSCi9JbmZvIDEgMCBSCi9JRCBbIDwyNzE5YWQ2OTYyNWVm
ZjNmYTQ0MjU2NGEzYTI0MzczYj4gPDI3MTlhZDY5NjI1ZWZmM2ZhNDQyNTY0YTNhMjQzNzNiPiBdCi9FbmNyeXB0IDggMCBS
Cj4+CnN0YXJ0eHJlZgoxMjYwCiUlRU9GCg==
"""


class TestDocuments:
    def test_docx_gives_headings_lists_and_tables_in_order(self, tmp_path):
        cells = [f"<w:tc>{paragraph(cell)}</w:tc>" for cell in ("ship", "port", "Aurora", "Tern")]
        rows = f"<w:tr>{''.join(cells[:2])}</w:tr><w:tr>{''.join(cells[2:])}</w:tr>"
        body = (
            paragraph("Voyage", "Heading1")
            + paragraph("Ida Holm sails.")
            + f"<w:tbl>{rows}</w:tbl>"
        )
        file, documents = one(tmp_path, "a.docx", docx(body))

        assert (file["status"], file["format"], file["encoding"]) == ("indexed", "docx", None)
        assert documents[0]["title"] == "Voyage"
        assert documents[0]["text"] == (
            "# Voyage\n\nIda Holm sails.\n\n| ship | port |\n| --- | --- |\n| Aurora | Tern |"
        )

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"{\\rtf1 Holm sails.}", "named docx, but it is RTF"),
            (b"\xd0\xcf\x11\xe0 old", "named docx, but it is an old or encrypted Office file"),
            (b"PK\x03\x04 damaged", "not a docx file"),
            (zipped({"a.txt": "no document"}), "can't be read as docx"),
        ],
    )
    def test_what_only_has_the_name_of_a_docx_fails_with_its_reason(self, tmp_path, data, reason):
        file, _ = one(tmp_path, "a.docx", data)

        assert file["status"] == "failed"
        assert file["reason"].startswith(reason)

    def test_pptx_has_a_page_for_each_slide(self, tmp_path):
        deck = pptx.Presentation()
        for title, text in [("Fleet", "Aurora sails."), ("Crew", "Ida Holm.")]:
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            slide.shapes.title.text = title
            slide.placeholders[1].text = text
        cells = slide.shapes.add_table(1, 2, 0, 0, 900, 900).table.rows[0].cells
        cells[0].text, cells[1].text = "ship", "port"
        slide.notes_slide.notes_text_frame.text = "Said aloud."
        data = io.BytesIO()
        deck.save(data)
        _, documents = one(tmp_path, "a.pptx", data.getvalue())
        text = documents[0]["text"]

        assert documents[0]["title"] == "Fleet"
        assert text == (
            "# Fleet\n\nAurora sails.\n\n"
            "# Crew\n\nIda Holm.\n\n| ship | port |\n|---|---|\n\nSaid aloud."
        )
        assert [page["page"] for page in documents[0]["pages"]] == [1, 2]
        assert text[documents[0]["pages"][1]["start_char"] :].startswith("# Crew")

    def test_xlsx_is_a_table_for_each_sheet(self, tmp_path):
        book = openpyxl.Workbook()
        book.active.title = "Ships"
        for row in [("ship", "crew"), (None, None), ("Auro|ra", 3)]:
            book.active.append(row)
        book.create_sheet("Nothing")
        data = io.BytesIO()
        book.save(data)
        _, documents = one(tmp_path, "fleet.xlsx", data.getvalue())

        assert documents[0]["title"] == "fleet"
        assert documents[0]["text"] == ("## Ships\n\n| ship | crew |\n|---|---|\n| Auro\\|ra | 3 |")

    def test_pdf_keeps_its_pages(self, tmp_path):
        file, documents = one(tmp_path, "a.pdf", pdf("Ida Holm sails.", "", "Pell waits."))
        text, pages = documents[0]["text"], documents[0]["pages"]

        assert text == "Ida Holm sails.\n\n\n\nPell waits."
        assert [text[page["start_char"] :][:4] for page in pages] == ["Ida ", "\n\nPe", "Pell"]
        assert file["reason"] == "1 of 3 pages have no text layer"

    @pytest.mark.parametrize(
        ("image", "reason"),
        [
            (True, "no text layer (2 pages, 2 images)"),
            (False, "no text layer (2 pages, 0 images)"),
        ],
    )
    def test_a_scanned_pdf_needs_ocr(self, tmp_path, image, reason):
        file, documents = one(tmp_path, "scan.pdf", pdf("", "", image=image))

        assert (file["status"], file["reason"], documents) == ("needs_ocr", reason, [])

    def test_an_encrypted_pdf_says_that_it_wants_a_password(self, tmp_path):
        file, _ = one(tmp_path, "a.pdf", base64.b64decode(ENCRYPTED))

        assert (file["status"], file["reason"]) == ("failed", "password required")

    def test_html_is_what_a_reader_sees(self, tmp_path):
        page = (
            "<!doctype html><html><head><title>Holm</title><style>.a{}</style></head><body>"
            '<script>var Pell="not text";</script><nav>Login</nav><noscript>no</noscript>'
            "<!-- note --><h2>Crew</h2><p>Ida&nbsp;Holm &amp; crew</p><p hidden>old draft</p>"
            '<img src="data:image/png;base64,AAAA" alt="ship">'
            "<table><tr><th>ship</th><th>port</th></tr><tr><td>Aurora</td><td>Tern</td></tr></table>"
        )
        _, documents = one(tmp_path, "page.html", page)

        assert documents[0]["title"] == "Holm"
        assert documents[0]["text"] == (
            "## Crew\n\nIda Holm & crew\n\nship\n\n"
            "| ship | port |\n| --- | --- |\n| Aurora | Tern |"
        )

    def test_html_is_decoded_as_it_declares(self, tmp_path):
        page = '<html><head><meta charset="gbk"></head><body>渡轮曙光号</body></html>'
        file, documents = one(tmp_path, "page.htm", page.encode("gbk"))

        assert (file["encoding"], documents[0]["text"]) == ("gb18030", "渡轮曙光号")

    def test_html_nested_beyond_reason_fails_alone(self, tmp_path):
        file, _ = one(tmp_path, "deep.html", "<div>" * 50_000 + "Holm")

        assert file["status"] == "failed"
