"""readers/: which files are found, how they are decoded, and what becomes of each."""

import os
import random
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_files import put, read, states
from graphrag_assets.errors import CorpusError
from graphrag_assets.readers import Corpus
from graphrag_assets.readers.decoding import decode
from graphrag_assets.readers.discovery import find_files, list_files
from graphrag_assets.readers.parsed import UnreadError

FERRY = "The ferry Aurora left Tern Harbour at noon."
CHINESE = "渡轮“曙光号”中午离开燕鸥港。船长艾达·霍姆带着三名船员，还有一封给佩尔总督的信。\n"


class TestDiscovery:
    def test_a_missing_root_is_named(self, tmp_path):
        with pytest.raises(CorpusError, match=r"nowhere` does not exist"):
            read(tmp_path / "nowhere")

    def test_a_root_without_files_is_an_error(self, tmp_path):
        with pytest.raises(CorpusError, match="holds no files"):
            read(tmp_path)

    def test_a_root_that_is_a_file_is_an_error(self, tmp_path):
        put(tmp_path / "a.txt", "Holm")

        with pytest.raises(CorpusError, match="is not a folder"):
            read(tmp_path / "a.txt")

    def test_only_empty_files_are_an_error_that_counts_them(self, tmp_path):
        put(tmp_path / "a.txt", "")
        put(tmp_path / "b.txt", " \n\u3000")

        with pytest.raises(CorpusError, match="2 empty"):
            read(tmp_path)

    def test_hidden_and_temporary_files_are_ignored(self, tmp_path):
        names = [".DS_Store", "._notes.txt", ".svn/entries", "Thumbs.db", "notes.txt~"]
        for name in [*names, "~$report.docx", "#a.txt#", "b.swp", "__MACOSX/c.txt", "notes.txt"]:
            put(tmp_path / name, name)

        assert states(read(tmp_path)) == {"notes.txt": "indexed"}

    def test_what_is_passed_over_can_be_listed_with_its_reason(self, tmp_path):
        for name in ("notes.txt", "notes.txt~", ".svn/entries", "Thumbs.db", "a.log", "old/b.txt"):
            put(tmp_path / name, FERRY)
        (tmp_path / "again.txt").symlink_to(tmp_path / "notes.txt")
        os.mkfifo(tmp_path / "pipe")
        found = list_files(str(tmp_path), base=Path(), include=["*.txt", "pipe"], exclude=["old/"])

        assert {file.path: file.passed_over for file in found} == {
            ".svn/": "hidden",
            "Thumbs.db": "of the operating system",
            "a.log": "not in [corpus] include",
            "again.txt": "link to what is read by its own path",
            "notes.txt": "",
            "notes.txt~": "temporary",
            "old/b.txt": "in [corpus] exclude",
            "pipe": "not a regular file",
        }

    def test_a_folder_named_like_a_file_is_a_folder(self, tmp_path):
        put(tmp_path / "archive.txt/inner.txt", FERRY)

        assert states(read(tmp_path)) == {"archive.txt/inner.txt": "indexed"}

    def test_odd_names_are_kept_as_they_are(self, tmp_path):
        names = ["-rf.txt", "UPPER.TXT", "a.b.c. 576.txt", "emoji 🚢.txt", "per%20cent.txt"]
        names += [
            'quote\'s "double".txt',
            "semi;colon&and.txt",
            "x" * 240 + ".txt",
            "表 （终）.txt",
        ]
        for name in names:
            put(tmp_path / name, name)
        corpus = read(tmp_path)

        assert corpus.files["path"].to_list() == sorted(names)
        assert corpus.documents["title"].to_list() == [name[:-4] for name in sorted(names)]

    def test_names_that_differ_in_unicode_form_are_two_files(self, tmp_path):
        put(tmp_path / "Zoe\u0308.txt", "one")
        put(tmp_path / "Zo\u00eb.txt", "two")

        assert len(states(read(tmp_path, include=["Zo\u00eb.txt"]))) == 2

    def test_a_name_that_is_not_utf_8_can_be_stored(self, tmp_path):
        put(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")), FERRY)

        assert states(read(tmp_path)) == {"caf\\xe9.txt": "indexed"}

    @pytest.mark.parametrize(
        ("include", "exclude", "expected"),
        [
            (["**/*"], [], ["a.md", "sub/b.TXT", "sub/deep/c.md"]),
            (["*.md"], [], ["a.md", "sub/deep/c.md"]),
            (["sub/*"], [], ["sub/b.TXT"]),
            (["sub/"], [], ["sub/b.TXT", "sub/deep/c.md"]),
            (["**/*.txt"], [], ["sub/b.TXT"]),
            (["**/*"], ["sub/**"], ["a.md"]),
            (["[!a].md", "?.md"], ["deep/**"], ["a.md", "sub/deep/c.md"]),
        ],
    )
    def test_globs_apply_to_the_relative_path_whatever_its_case(
        self, tmp_path, include, exclude, expected
    ):
        for name in ["a.md", "sub/b.TXT", "sub/deep/c.md"]:
            put(tmp_path / name, name)

        assert list(states(read(tmp_path, include=include, exclude=exclude))) == expected

    def test_links_are_followed_only_inside_the_root_and_only_once(self, tmp_path):
        root = tmp_path / "root"
        put(tmp_path / "secret.txt", "outside")
        put(root / "real/a.txt", FERRY)
        put(root / ".hidden/b.txt", "Holm")
        for link, target in {
            "real/loop": "..",
            "main": "real",
            "again.txt": "real/a.txt",
            "shown.txt": ".hidden/b.txt",
            "dangling.txt": "nowhere.txt",
            "outside.txt": tmp_path / "secret.txt",
            "away": tmp_path,
        }.items():
            (root / link).symlink_to(target)
        corpus = read(root)

        assert states(corpus) == {
            "away": "unreadable",
            "dangling.txt": "unreadable",
            "outside.txt": "unreadable",
            "real/a.txt": "indexed",
            "shown.txt": "indexed",
        }
        assert corpus.files["reason"].to_list()[:2] == [
            "symbolic link out of the corpus root",
            "symbolic link that leads nowhere",
        ]

    def test_pipes_and_devices_are_not_opened(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.txt")
        put(tmp_path / "ok.txt", "ok")

        assert states(read(tmp_path)) == {"ok.txt": "indexed"}

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
    def test_what_may_not_be_read_is_a_row(self, tmp_path):
        put(tmp_path / "ok.txt", "ok")
        put(tmp_path / "locked.txt", "b")
        put(tmp_path / "folder/c.txt", "c")
        (tmp_path / "locked.txt").chmod(0)
        (tmp_path / "folder").chmod(0)
        corpus = read(tmp_path)
        (tmp_path / "folder").chmod(0o700)

        assert states(corpus) == {
            "folder": "unreadable",
            "locked.txt": "unreadable",
            "ok.txt": "indexed",
        }

    def test_a_file_that_vanishes_before_it_is_read_is_unreadable(self, tmp_path):
        put(tmp_path / "a.txt", "Holm")
        found = find_files(".", base=tmp_path, include=["**/*"], exclude=[])
        (tmp_path / "a.txt").unlink()

        with pytest.raises(UnreadError, match="No such file"):
            found[0].read()

    def test_any_fsspec_url_is_a_root(self, tmp_path):
        import fsspec

        files = fsspec.filesystem("memory")
        files.pipe(
            {"/corpus/a.txt": FERRY.encode(), "/corpus/sub/b.md": b"# B", "/corpus/.c": b"c"}
        )
        found = find_files("memory://corpus", base=tmp_path, include=["**/*"], exclude=[])
        put(tmp_path / "local.txt", "Holm")

        assert [(file.path, file.read()[:3]) for file in found] == [
            ("a.txt", b"The"),
            ("sub/b.md", b"# B"),
        ]
        assert list(states(read(tmp_path.as_uri()))) == ["local.txt"]

    def test_a_url_that_nothing_can_open_is_named(self, tmp_path):
        with pytest.raises(CorpusError, match=r"nothing://x` can't be listed"):
            find_files("nothing://x", base=tmp_path, include=["**/*"], exclude=[])


class TestDecoding:
    @pytest.mark.parametrize(
        ("data", "encoding", "text"),
        [
            (CHINESE.encode("gb18030"), "gb18030", CHINESE),
            ((CHINESE + "生僻字：㐀𠮷。").encode("gb18030"), "gb18030", CHINESE + "生僻字：㐀𠮷。"),
            (("\ufeff" + FERRY).encode("utf-8"), "utf-8", FERRY),
            (("\ufeff" + CHINESE).encode("utf-16-be"), "utf-16-be", CHINESE),
            (("\ufeff" + FERRY).encode("utf-16-le"), "utf-16-le", FERRY),
            (("\ufeff" + FERRY).encode("utf-32-le"), "utf-32-le", FERRY),
            (FERRY.encode("utf-16-le"), "utf-16-le", FERRY),
            (FERRY.encode("utf-16-be"), "utf-16-be", FERRY),
            (
                "“Holm’s crew” — 20 € – said Pell…".encode("cp1252"),
                "cp1252",
                "“Holm’s crew” — 20 €",
            ),
            ("Zoë alla à Genève, déçue.".encode("cp1252"), "cp1252", "Zoë alla à Genève"),
            ("Zürich".encode("latin-1"), "cp1252", "Zürich"),
            ("Капитан покинул гавань в полдень.".encode("cp1251"), "cp1251", "Капитан покинул"),
            ("船長は正午に港を出た。乗組員と手紙があった。".encode("cp932"), "cp932", "船長は正午"),
            (b"Holm\0 sails to Tern\0 Harbour.", "utf-8", "Holm sails to Tern Harbour."),
            (("\ufeff".encode("utf-16-le") + b"H\0\x3d\xd8!\0"), "utf-16-le", "H\ufffd!"),
        ],
    )
    def test_the_text_is_right_and_the_encoding_told(self, data, encoding, text):
        decoded = decode(data, declared=None)

        assert decoded.text.startswith(text)
        assert decoded.encoding == encoding

    @given(st.text(alphabet=st.characters(codec="utf-8", min_codepoint=32), max_size=200))
    def test_utf_8_is_never_taken_for_anything_else(self, text):
        assert decode(text.encode(), declared=None).encoding in {"utf-8", "utf-16-le"}

    def test_a_guess_is_said(self):
        assert decode(CHINESE.encode("gb18030"), declared=None).warnings == (
            "decoded as gb18030 by guess",
        )

    def test_text_that_was_encoded_twice_is_told_but_not_repaired(self):
        broken = "CafÃ© ZÃ¼rich"

        assert decode(broken.encode(), declared=None).text == broken
        assert decode(broken.encode(), declared=None).warnings == ("looks like twice-encoded text",)

    def test_a_byte_order_mark_that_lies_is_a_failure(self):
        with pytest.raises(UnreadError, match="failed: not valid utf-16-le"):
            decode(b"\xff\xfeH\0o", declared=None)

    @pytest.mark.parametrize("data", [bytes(range(256)) * 8, b"\x89PNG\r\n\0\0\0", b"\1\2\3\4text"])
    def test_binary_data_is_not_text(self, data):
        with pytest.raises(UnreadError, match="unsupported: binary data"):
            decode(data, declared=None)


class TestStates:
    def test_every_file_is_a_row_whatever_is_in_it(self, tmp_path):
        rng = random.Random(1)
        endings = [
            "txt",
            "md",
            "html",
            "pdf",
            "docx",
            "pptx",
            "xlsx",
            "csv",
            "json",
            "parquet",
            "bin",
        ]
        for ending in endings:
            put(tmp_path / f"junk.{ending}", rng.randbytes(3000))
            put(tmp_path / f"zipped.{ending}", b"PK\x03\x04" + rng.randbytes(300))
            put(tmp_path / f"empty.{ending}", b"")
        put(tmp_path / "ok.txt", FERRY)
        corpus = read(tmp_path)

        assert corpus.files.height == 3 * len(endings) + 1
        assert corpus.files.filter(pl.col("status") == "indexed")["path"].to_list() == ["ok.txt"]
        assert corpus.files.filter(pl.col("status") == "empty").height == len(endings)
        assert corpus.files.filter(pl.col("reason").is_null())["path"].to_list() == ["ok.txt"]

    def test_documents_add_up_to_what_the_files_say(self, tmp_path):
        put(tmp_path / "a.csv", "text\none\ntwo\n")
        put(tmp_path / "b.txt", FERRY)
        put(tmp_path / "c.txt", FERRY)
        corpus = read(tmp_path)

        assert corpus.files["n_documents"].sum() == corpus.documents.height == 4

    def test_the_same_bytes_or_text_again_are_a_duplicate_that_names_the_first(self, tmp_path):
        for name, content in {
            "a": "Ida\nHolm\n",
            "b": "Ida\r\nHolm\r\n",
            "c": "Ida\nHolm\n",
        }.items():
            put(tmp_path / f"{name}.txt", content)
        corpus = read(tmp_path)

        assert corpus.files.select("status", "reason", "n_documents").rows() == [
            ("indexed", None, 1),
            ("duplicate", "same text as a.txt", 1),
            ("duplicate", "same bytes as a.txt", 1),
        ]

    def test_copies_stay_documents_with_ids_and_titles_of_their_own(self, tmp_path):
        put(tmp_path / "policy COPY.txt", FERRY)
        put(tmp_path / "policy.txt", FERRY)
        documents = read(tmp_path).documents

        assert documents["title"].to_list() == ["policy COPY", "policy"]
        assert documents["id"].n_unique() == 2
        assert documents["sha256"].n_unique() == 1

    def test_when_the_first_goes_its_copy_takes_its_place(self, tmp_path):
        put(tmp_path / "policy COPY.txt", FERRY)
        put(tmp_path / "policy.txt", FERRY)
        before = read(tmp_path)
        (tmp_path / "policy COPY.txt").unlink()
        after = read(tmp_path, before)

        assert states(after) == {"policy.txt": "indexed"}
        assert after.documents["title"].to_list() == ["policy"]

    def test_the_same_name_in_two_folders_is_two_documents(self, tmp_path):
        put(tmp_path / "x/plan.txt", "one")
        put(tmp_path / "y/plan.txt", "two")

        assert read(tmp_path).documents["id"].n_unique() == 2

    def test_an_edited_file_is_the_same_document_with_another_text(self, tmp_path):
        put(tmp_path / "plan.txt", "left at noon")
        before = read(tmp_path)
        stamp = (tmp_path / "plan.txt").stat()
        put(tmp_path / "plan.txt", "left at nine")
        os.utime(tmp_path / "plan.txt", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        after = read(tmp_path, before)

        assert after.documents["text"].to_list() == ["left at nine"]
        assert after.documents["id"].to_list() == before.documents["id"].to_list()

    def test_a_file_that_is_only_touched_is_as_it_was(self, tmp_path):
        put(tmp_path / "plan.txt", FERRY)
        put(tmp_path / "copy of plan.txt", FERRY)
        os.utime(tmp_path / "plan.txt", (1_900_000_000, 1_900_000_000))
        before = read(tmp_path)
        for name in ("plan.txt", "copy of plan.txt"):
            os.utime(tmp_path / name, (2_000_000_000, 2_000_000_000))
        after = read(tmp_path, before)
        put(tmp_path / "plan.txt", "left at nine")
        os.utime(tmp_path / "plan.txt", (2_000_000_000, 2_000_000_000))
        edited = read(tmp_path, after)

        assert before.files["modified_at"][1] == "2030-03-17T17:46:40Z"
        assert after.files.equals(before.files)
        assert edited.files["modified_at"][1] == "2033-05-18T03:33:20Z"

    def test_a_renamed_file_is_another_document_with_the_same_text(self, tmp_path):
        put(tmp_path / "plan.txt", FERRY)
        before = read(tmp_path)
        (tmp_path / "plan.txt").rename(tmp_path / "plan-final.txt")
        after = read(tmp_path, before)

        assert after.documents["sha256"].to_list() == before.documents["sha256"].to_list()
        assert after.documents["title"].to_list() == ["plan-final"]

    def test_a_file_with_known_bytes_is_not_parsed_again(self, tmp_path):
        put(tmp_path / "a.txt", FERRY)
        put(tmp_path / "b.bin", b"\0\1\2\3")
        before = read(tmp_path)
        marked = Corpus(before.files, before.documents.with_columns(title=pl.lit("as before")))
        after = read(tmp_path, marked)

        assert after.documents.equals(marked.documents)
        assert after.files.equals(before.files)

    def test_incremental_equals_from_scratch(self, tmp_path):
        for n in range(6):
            put(tmp_path / f"{n}.txt", f"Text {n % 4}")
        before = read(tmp_path)
        put(tmp_path / "2.txt", "Text 0")
        put(tmp_path / "00.txt", "Text 1")
        (tmp_path / "0.txt").unlink()
        after, scratch = read(tmp_path, before), read(tmp_path)

        assert after.files.equals(scratch.files)
        assert after.documents.equals(scratch.documents)
