"""settings.py: each default stands once, and nothing that is misspelt is ignored."""

import os
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from graphrag_assets.errors import SettingsError
from graphrag_assets.settings import (
    TASKS,
    ModelSettings,
    Settings,
    child_environment,
    find_root,
    load_settings,
    template,
)

DEFAULTS = {
    "corpus": {
        "root": "data/input",
        "include": ["**/*"],
        "exclude": [],
        "text_column": "text",
        "title_column": "title",
        "id_column": "",
        "metadata_columns": [],
        "prompt_metadata": [],
        "max_file_mb": 200,
        "encoding": "",
        "repair_encoding": False,
        "longest_run": 2000,
        "language": "auto",
    },
    "text_units": {"max_tokens": 600, "overlap": 100, "encoding": "o200k_base"},
    "extraction": {
        "entity_types": [],
        "domain": "general",
        "gleanings": 1,
        "claims": False,
        "max_failed": 0.05,
    },
    "resolution": {"similar": 0.95, "ask_model": False},
    "communities": {"max_community_size": 10, "seed": 42},
    "reports": {"context_tokens": 8000, "tolerance": 0.1},
    "layout": {"neighbors": 15, "min_distance": 0.1},
    "query": {
        "method": "auto",
        "router": "rules",
        "level": 2,
        "selection": "all",
        "context_tokens": 8000,
        "report_tokens": 12_000,
        "history_tokens": 2000,
        "max_calls": 24,
    },
    "store": {"path": "data/index", "keep_versions": 3, "memo": ""},
    "run": {
        "executor": "in_process",
        "schedule": "",
        "sensor": False,
        "budget_usd": 0,
        "pictures": True,
    },
    "serve": {"concurrency": 16, "deadline_seconds": 300, "max_body_kb": 256},
}
MODEL = {
    "model": "offline/nlp",
    "api_base": "",
    "concurrency": 32,
    "rpm": 0,
    "tpm": 0,
    "deadline_seconds": 180,
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment without settings of its own."""
    for name in [name for name in os.environ if name.startswith("GRAPHRAG")]:
        monkeypatch.delenv(name)
    return monkeypatch


def load(root: Path, text: str | bytes = "") -> Settings:
    (root / "settings.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    return load_settings(root)


def problems(root: Path, text: str | bytes = "") -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load(root, text)
    return caught.value.problems


class TestDefaults:
    @pytest.mark.parametrize("section", DEFAULTS)
    def test_every_key_has_its_default(self, section, tmp_path):
        assert getattr(load(tmp_path), section).model_dump() == DEFAULTS[section]

    def test_these_are_all_sections(self):
        assert [*DEFAULTS, "models"] == list(Settings.model_fields)

    @pytest.mark.parametrize("task", TASKS)
    def test_models_are_the_embedded_ones(self, task, tmp_path):
        name = "offline/use-m3" if task == "embedding" else "offline/nlp"

        assert load(tmp_path).models.for_task(task).model_dump() == {**MODEL, "model": name}

    def test_every_key_is_described(self):
        kinds = [field.annotation for field in Settings.model_fields.values()]
        described = {
            key: field.description
            for kind in (*kinds[:-1], ModelSettings)
            for key, field in kind.model_fields.items()
        }

        assert all(text and text.endswith(".") for text in described.values())

    def test_no_file_means_all_defaults(self, tmp_path):
        assert load_settings(tmp_path) == Settings()
        assert load_settings(tmp_path / "nowhere") == Settings()

    def test_settings_cannot_be_changed_afterwards(self, tmp_path):
        with pytest.raises(ValidationError):
            load(tmp_path).corpus.root = "elsewhere"


class TestFile:
    def test_a_key_that_is_set_leaves_the_others_at_their_defaults(self, tmp_path):
        found = load(tmp_path, '[corpus]\nroot = "docs"\n[query]\nlevel = 0\n')

        assert found.corpus.model_dump() == {**DEFAULTS["corpus"], "root": "docs"}
        assert found.query.model_dump() == {**DEFAULTS["query"], "level": 0}

    def test_a_byte_order_mark_does_no_harm(self, tmp_path):
        assert load(tmp_path, "\ufeff[query]\nlevel = 0\n").query.level == 0

    def test_a_folder_of_that_name_is_an_error(self, tmp_path):
        (tmp_path / "settings.toml").mkdir()

        with pytest.raises(SettingsError, match="Is a directory"):
            load_settings(tmp_path)

    @pytest.mark.parametrize(
        "text", ["[corpus", "x = ", "a = 1\na = 2", b"\xff\xfe", "x = " + "[" * 3000]
    )
    def test_broken_toml_is_an_error_that_names_the_file(self, tmp_path, text):
        with pytest.raises(SettingsError) as caught:
            load(tmp_path, text)
        assert str(caught.value).startswith(f"{tmp_path / 'settings.toml'}: ")
        assert len(caught.value.problems) == 1

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("[corpsu]", "unknown key `corpsu`. Did you mean `corpus`?"),
            ("[corpus]\nrott = 1", "unknown key `corpus.rott`. Did you mean `root`?"),
            ("[query]\nlevels = 1", "unknown key `query.levels`. Did you mean `level`?"),
            ("[models.extracton]", "unknown key `models.extracton`. Did you mean `extraction`?"),
            (
                "[models.report]\nmodl = 'x'",
                "unknown key `models.report.modl`. Did you mean `model`?",
            ),
            (
                "[models.default]\nconcurency = 2",
                "unknown key `models.default.concurency`. Did you mean `concurrency`?",
            ),
            ("zzz = 1", "unknown key `zzz`."),
        ],
    )
    def test_an_unknown_key_is_named_with_a_suggestion(self, tmp_path, text, problem):
        assert problems(tmp_path, text) == [problem]

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("corpus = 3", "`corpus`: must be a table, not 3"),
            ("models.report = 3", "`models.report`: must be a table, not 3"),
            ("[corpus]\nroot = 3", "`corpus.root`: input should be a valid string, not 3"),
            (
                "[corpus]\ninclude = '*'",
                "`corpus.include`: input should be a valid list, not '*'",
            ),
            (
                "[extraction]\nentity_types = ['person', 3]",
                "`extraction.entity_types.1`: input should be a valid string, not 3",
            ),
            (
                "[query]\nmethod = 'lokal'",
                (
                    "`query.method`: input should be 'auto', 'global', 'local', 'drift', 'basic', "
                    "'source' or 'lazy', not 'lokal'"
                ),
            ),
            (
                "[resolution]\nsimilar = 1.5",
                "`resolution.similar`: input should be less than or equal to 1, not 1.5",
            ),
            (
                "[resolution]\nsimilar = nan",
                "`resolution.similar`: input should be a finite number, not nan",
            ),
            (
                "[run]\nbudget_usd = inf",
                "`run.budget_usd`: input should be a finite number, not inf",
            ),
            (
                "[models.report]\nconcurrency = 0",
                "`models.report.concurrency`: input should be greater than or equal to 1, not 0",
            ),
            (
                '[text_units]\nencoding = "nope"',
                (
                    "`text_units.encoding`: input should be 'o200k_base', 'cl100k_base', "
                    "'p50k_base', 'o200k_harmony' or 'p50k_edit', not 'nope'"
                ),
            ),
            (
                '[models.report]\napi_base = "localhost:8000/v1"',
                "`models.report.api_base`: an address starts with http:// or https://",
            ),
            (
                "[text_units]\noverlap = 600",
                "`text_units`: overlap (600) must be less than max_tokens (600)",
            ),
            (
                "[text_units]\nmax_tokens = 100",
                "`text_units`: overlap (100) must be less than max_tokens (100)",
            ),
        ],
    )
    def test_a_value_that_does_not_fit_is_named_with_the_reason(self, tmp_path, text, problem):
        assert problems(tmp_path, text) == [problem]

    def test_all_problems_are_told_at_once(self, tmp_path):
        text = (
            "[corpus]\nrott = 1\n[query]\nlevel = -1\n[models.query]\nrpm = 'x'\nkey = 'secret'\n"
        )
        found = problems(tmp_path, text)

        assert [problem.split("`")[1] for problem in found] == [
            "corpus.rott",
            "query.level",
            "models.query.rpm",
            "models.query.key",
        ]
        assert "secret" not in "".join(found)


class TestEnvironment:
    @pytest.mark.parametrize(
        ("name", "value", "expected"),
        [
            ("CORPUS__ROOT", "docs/a b", "docs/a b"),
            ("CORPUS__ROOT", "", ""),
            ("CORPUS__INCLUDE", '["*.md"]', ["*.md"]),
            ("TEXT_UNITS__MAX_TOKENS", "300", 300),
            ("EXTRACTION__CLAIMS", "true", True),
            ("EXTRACTION__CLAIMS", "False", False),
            ("RUN__BUDGET_USD", "2.5", 2.5),
            ("STORE__MEMO", '"2031"', "2031"),
        ],
    )
    def test_it_overrides_the_file(self, environment, tmp_path, name, value, expected):
        environment.setenv(f"GRAPHRAG__{name}", value)
        found = load(tmp_path, '[corpus]\nroot = "docs"\ntext_column = "body"\n')

        section, key = name.lower().split("__")
        assert getattr(getattr(found, section), key) == expected
        assert found.corpus.text_column == "body"

    def test_a_models_key_is_overridden_alone(self, environment, tmp_path):
        environment.setenv("GRAPHRAG__MODELS__REPORT__RPM", "7")
        found = load(tmp_path, '[models.report]\nmodel = "openai/x"\nrpm = 1\n')

        assert found.models.for_task("report").model_dump() == {
            **MODEL,
            "model": "openai/x",
            "rpm": 7,
        }

    @pytest.mark.parametrize(
        ("name", "value", "problem"),
        [
            (
                "GRAPHRAG__CORPUS__ROTT",
                "x",
                "unknown key `GRAPHRAG__CORPUS__ROTT`. Did you mean `root`?",
            ),
            (
                "GRAPHRAG__MODELS__REPORT__MODL",
                "x",
                "unknown key `GRAPHRAG__MODELS__REPORT__MODL`. Did you mean `model`?",
            ),
            ("GRAPHRAG__ROOT", "x", "unknown key `GRAPHRAG__ROOT`."),
            ("GRAPHRAG__", "x", "unknown key `GRAPHRAG__`."),
            (
                "GRAPHRAG__QUERY__LEVEL",
                "two",
                (
                    "`GRAPHRAG__QUERY__LEVEL`: input should be a valid integer,"
                    " unable to parse string as an integer, not 'two'"
                ),
            ),
            ("GRAPHRAG__CORPUS", "x", "`GRAPHRAG__CORPUS`: must be a table, not 'x'"),
        ],
    )
    def test_what_is_wrong_is_named_by_its_variable(
        self, environment, tmp_path, name, value, problem
    ):
        environment.setenv(name, value)

        assert problems(tmp_path) == [problem]

    def test_a_section_cannot_be_a_value_and_a_table(self, environment, tmp_path):
        environment.setenv("GRAPHRAG__CORPUS", "x")
        environment.setenv("GRAPHRAG__CORPUS__ROOT", "y")

        with pytest.raises(SettingsError, match=r"GRAPHRAG__CORPUS__ROOT: `corpus` is also set"):
            load(tmp_path)

    def test_other_variables_are_none_of_our_business(self, environment, tmp_path):
        environment.setenv("GRAPHRAG_ROOT", "x")
        environment.setenv("XGRAPHRAG__CORPUS__ROTT", "x")

        assert load(tmp_path) == Settings()


class TestModels:
    def test_a_task_inherits_the_default_key_by_key(self, tmp_path):
        text = """
            [models.default]
            model = "openai/small"
            api_base = "http://localhost:1"
            rpm = 60
            [models.report]
            model = "openai/large"
            rpm = 0
        """
        models = load(tmp_path, text).models
        small = {**MODEL, "model": "openai/small", "api_base": "http://localhost:1", "rpm": 60}

        assert models.for_task("extraction").model_dump() == small
        assert models.for_task("report").model_dump() == {
            **small,
            "model": "openai/large",
            "rpm": 0,
        }

    def test_embeddings_inherit_nothing(self, tmp_path):
        text = '[models.default]\nmodel = "openai/small"\nrpm = 60\n[models.embedding]\nrpm = 5\n'
        found = load(tmp_path, text).models.for_task("embedding")

        assert found.model_dump() == {**MODEL, "model": "offline/use-m3", "rpm": 5}


class TestTemplate:
    def test_uncommented_it_loads_back_to_the_defaults(self, tmp_path):
        text = re.sub(r"^# (?=\w+ = )", "", template(), flags=re.MULTILINE)
        found = load(tmp_path, text)

        assert found.model_dump(exclude={"models"}) == DEFAULTS
        for task in TASKS:
            assert found.models.for_task(task) == Settings().models.for_task(task)

    def test_as_it_is_it_sets_nothing(self, tmp_path):
        assert load(tmp_path, template()) == Settings()

    def test_it_has_every_key_with_its_meaning(self):
        keys = re.findall(r"^# (\w+) = .+  # .+\.$", template(), flags=re.MULTILINE)

        assert keys == [key for section in DEFAULTS.values() for key in section] + 2 * list(MODEL)


class TestRoot:
    def test_it_is_the_working_directory_unless_the_environment_says_otherwise(
        self, environment, tmp_path
    ):
        environment.chdir(tmp_path)
        here = find_root()
        environment.setenv("GRAPHRAG_ROOT", str(tmp_path / "other"))

        assert (here, find_root()) == (tmp_path.resolve(), (tmp_path / "other").resolve())

    def test_a_child_process_gets_it_beside_the_environment(self, environment, tmp_path):
        environment.setenv("OPENAI_API_KEY", "x")
        found = child_environment(tmp_path)

        assert found["GRAPHRAG_ROOT"] == found["DAGSTER_HOME"] == str(tmp_path)
        assert found["OPENAI_API_KEY"] == "x"
