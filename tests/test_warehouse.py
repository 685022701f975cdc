"""warehouse: assets are functions; what needn't be computed isn't."""

from dataclasses import replace

import dagster as dg
import polars as pl
import pytest

from graphrag_assets.assets import corpus, extraction, reports
from graphrag_assets.checks import Check, Verdict
from graphrag_assets.definitions import PIPELINE
from graphrag_assets.errors import (
    CorpusError,
    ModelCallError,
    ModelStoppedError,
    SettingsError,
    TableError,
)
from graphrag_assets.metadata import call_metadata, check_result, column_schema, markdown_table
from graphrag_assets.models.client import Models, Request
from graphrag_assets.models.ledger import Call
from graphrag_assets.models.replies import Description
from graphrag_assets.pipeline import Pipeline
from graphrag_assets.project import Project
from graphrag_assets.prompts import Message, shipped
from graphrag_assets.settings import ResolutionSettings, TextUnitSettings
from graphrag_assets.states import asset_states
from graphrag_assets.store import select
from graphrag_assets.tables import TABLES, meaning
from graphrag_assets.warehouse import table_asset
from pipeline import database_of, materialise
from small_corpus import SETTINGS, write_project
from table_rows import rows_of

RECIPES = {asset.name: asset for asset in PIPELINE}
DESCRIBED = {"relationships", "entities"}
EMBEDDED = {f"{thing}_embeddings" for thing in ("text_unit", "entity", "relationship", "report")}
READING = {"extractions", *DESCRIBED, "community_reports"}


def source_of(*versions: pl.DataFrame):
    """Return a source that gives these documents, one after the other."""
    given = iter(versions)

    @table_asset("documents", source=True)
    def documents() -> pl.DataFrame:
        return next(given)

    return documents


def document(title: str, text: str = "Ada Brook keeps the North Light.") -> pl.DataFrame:
    return rows_of("documents", {"id": "doc", "path": "a.txt", "title": title, "text": text})


def recomputed(*assets, project: Project) -> list[str]:
    found = [result for asset in assets for result in materialise(asset, project)]
    return [r.asset_key.to_user_string() for r in found if r.metadata["recomputed"]]


def calls_of(project: Project) -> list[dict]:
    with project.store.connect(read_only=True) as connection:
        return select(connection, "FROM model_calls ORDER BY created_at").to_dicts()


class TestFunctions:
    def test_an_asset_called_directly_is_its_function(self):
        settings = TextUnitSettings(max_tokens=20, overlap=0)
        found = corpus.text_units(documents=document("Light"), cut=settings)

        assert found["text"].to_list() == ["Ada Brook keeps the North Light."]

    def test_what_it_needs_is_what_it_asks_for(self):
        assert corpus.text_units.inputs == ["documents"]
        assert extraction.extractions.group == "extraction"
        assert corpus.documents.tables == ("files", "documents")
        assert reports.community_reports.inputs == [
            "communities",
            "community_members",
            "entities",
            "relationships",
            "claims",
        ]

    def test_a_function_may_ask_for_all_that_a_project_has(self, project):
        seen = {}

        @table_asset("entities")
        def entities(  # noqa: PLR0917
            text_units, previous_entities, settings: ResolutionSettings, root, version, overrides
        ):
            seen.update(
                text_units=text_units.height,
                previous=previous_entities["id"].to_list(),
                settings=settings.similar,
                root=root,
                version=version,
                overrides=overrides.same,
            )
            return rows_of("entities", {"id": "ada", "title": "Ada"})

        materialise(entities, project)
        first = dict(seen)
        with project.store.transaction() as connection:
            connection.execute("UPDATE asset_states SET settled = false")
        materialise(entities, project)

        assert first == {
            "text_units": 0,
            "previous": [],
            "settings": 0.95,
            "root": project.root,
            "version": 1,
            "overrides": (),
        }
        assert seen["previous"] == ["ada"]


class TestEarlyCutoff:
    def test_what_nothing_changed_for_is_not_computed(self, project):
        source = source_of(document("Light"), document("Light"))
        steps = (source, corpus.text_units, corpus.text_unit_terms)

        assert recomputed(*steps, project=project) == ["documents", "text_units", "text_unit_terms"]
        assert recomputed(*steps, project=project) == ["documents"]

    def test_a_change_that_comes_out_equal_stops_there(self, project):
        source = source_of(document("Light"), document("The light"))
        steps = (source, corpus.text_units, corpus.text_unit_terms)
        recomputed(*steps, project=project)

        assert recomputed(*steps, project=project) == ["documents", "text_units"]

    def test_a_change_goes_on_as_far_as_it_changes_something(self, project):
        source = source_of(document("Light"), document("Light", "Ben Cole hired Cora Dean."))
        steps = (source, corpus.text_units, corpus.text_unit_terms)
        recomputed(*steps, project=project)

        assert recomputed(*steps, project=project) == ["documents", "text_units", "text_unit_terms"]

    def test_the_data_version_is_the_content(self, project):
        source = source_of(document("Light"), document("The light"), document("Light"))
        versions = [materialise(source, project)[0].data_version.value for _ in range(3)]

        assert versions[0] == versions[2] != versions[1]

    @pytest.mark.parametrize(
        ("status", "again"), [("failed", 1), ("refused", 1), ("truncated", 1), ("filtered", 0)]
    )
    def test_rows_that_another_try_may_mend_are_tried_again(self, project, status, again):
        replies = iter([status, "ok"])
        materialise(source_of(document("Light")), project)
        materialise(corpus.text_units, project)

        @table_asset("extractions")
        def extractions(text_units: pl.DataFrame) -> pl.DataFrame:
            unit = text_units["id"][0]
            return rows_of("extractions", {"text_unit_id": unit, "status": next(replies)})

        runs = [recomputed(extractions, project=project) for _ in range(3)]

        assert runs == [["extractions"]] * (1 + again) + [[]] * (2 - again)

    def test_what_a_failed_call_left_out_is_tried_again(self, project, script):
        script.enqueue(ModelCallError("broken"), prompt="summarize_description")

        @table_asset("entities", tasks=("description",))
        def entities(models: Models) -> pl.DataFrame:
            said = models.run(models.chat(a_request()))
            text = said.reply.description if said.reply else "?"
            return rows_of("entities", {"id": "ada", "title": "Ada", "description": text})

        runs = [recomputed(entities, project=project) for _ in range(3)]

        assert runs == [["entities"], ["entities"], []]

    def test_a_source_with_another_recipe_starts_afresh(self, project):
        seen = []

        def source(code):
            @table_asset("documents", source=True, code=code)
            def documents(previous_documents: pl.DataFrame) -> pl.DataFrame:
                seen.append(previous_documents.height)
                return document("Light")

            return documents

        for code in ("1", "1", "2", "2"):
            materialise(source(code), project)

        assert seen == [0, 1, 0, 1]

    def test_states_say_what_a_table_was_made_from(self, project):
        source = source_of(document("Light"))
        recomputed(source, corpus.text_units, project=project)
        with project.store.connect(read_only=True) as connection:
            states = asset_states(connection)

        assert states["text_units"].inputs == {"documents": states["documents"].fingerprint}
        assert states["text_units"].recipe == corpus.text_units.recipe(project)


class TestRecipe:
    @pytest.fixture
    def before(self, project):
        return {name: asset.recipe(project) for name, asset in RECIPES.items()}

    def changed(self, before, project) -> set[str]:
        reopened = Project.open(project.root)
        return {name for name, asset in RECIPES.items() if asset.recipe(reopened) != before[name]}

    def test_is_the_same_where_nothing_changed(self, before, project):
        assert self.changed(before, project) == set()

    @pytest.mark.parametrize(
        ("line", "stale"),
        [
            ("resolution.similar = 0.9", {"entity_aliases"}),
            ("resolution.ask_model = true", {"entity_aliases"}),
            ("extraction.gleanings = 0", {"extractions"}),
            ("communities.seed = 7", {"communities", "layout"}),
            ("layout.neighbors = 5", {"layout"}),
            ("reports.context_tokens = 4000", {"community_reports", "entities", "relationships"}),
            ("query.level = 0", set()),
            ("run.budget_usd = 5", set()),
            ("store.keep_versions = 9", set()),
            ("models.default.concurrency = 2", set()),
            ("models.default.model = 'scripted/other'", READING),
            ("models.report.model = 'scripted/other'", {"community_reports"}),
            ("models.query.model = 'scripted/other'", set()),
            ("models.embedding.model = 'scripted/other'", EMBEDDED),
            ("corpus.language = 'zh'", {"documents", *READING}),
        ],
    )
    def test_changes_with_the_settings_it_reads(self, before, project, monkeypatch, line, stale):
        key, _, value = line.partition(" = ")
        monkeypatch.setenv("GRAPHRAG__" + key.upper().replace(".", "__"), value)

        assert self.changed(before, project) == stale

    @pytest.mark.parametrize(
        ("prompt", "stale"),
        [
            ("extract_graph.md", {"extractions"}),
            ("continue_extraction.md", {"extractions"}),
            ("extract_claims.md", {"extractions"}),
            ("domains/general.toml", {"extractions"}),
            ("summarize_description.md", DESCRIBED),
            ("community_report.md", {"community_reports"}),
            ("resolve_entities.md", set()),  # nobody is asked unless a setting says so
            ("global_map.md", set()),
            ("local_answer.md", set()),
        ],
    )
    def test_changes_with_the_prompts_it_uses(self, before, project, prompt, stale):
        own = project.root / "prompts" / prompt
        own.parent.mkdir(parents=True)
        text = (shipped() / "prompts" / prompt).read_text("utf-8")
        own.write_text(f'{text}\nfr = "Une phrase."\n', encoding="utf-8")

        assert self.changed(before, project) == stale

    def test_changes_with_what_a_person_decided_about_names(self, before, project):
        (project.root / "data" / "aliases.toml").write_text('same = [["Ada", "A. Brook"]]', "utf-8")

        assert self.changed(before, project) == {"entity_aliases"}

    def test_an_unknown_domain_is_an_error_that_names_it(self, project):
        write_project(
            project.root, settings=SETTINGS.replace("claims =", "domain = 'law'\nclaims =")
        )

        with pytest.raises(SettingsError, match="no pack `law`"):
            extraction.extractions.recipe(Project.open(project.root))


def a_request() -> Request[Description]:
    messages = (Message("user", "Who is Ada?"),)
    return Request("description", "summarize_description", messages, Description, subject="ada")


class TestCalls:
    def test_are_written_down_with_the_asset_and_the_run(self, project):
        @table_asset("entities", tasks=("description",))
        def entities(models: Models) -> pl.DataFrame:
            models.run(models.chat(a_request()))
            return rows_of("entities")

        (result,) = materialise(entities, project, "run-7")
        (call,) = calls_of(project)

        assert call["asset"] == "entities"
        assert (call["run_id"], call["subject"], call["status"]) == ("run-7", "ada", "ok")
        assert result.metadata["model_calls"] == 1
        assert result.metadata["prompt_tokens"] == call["prompt_tokens"] > 0

    def test_are_written_down_even_if_the_function_fails(self, project):
        @table_asset("entities", tasks=("description",))
        def entities(models: Models) -> pl.DataFrame:
            models.run(models.chat(a_request()))
            raise ModelStoppedError("scripted/reader", "", "no credit")

        with pytest.raises(ModelStoppedError):
            materialise(entities, project)

        assert [call["status"] for call in calls_of(project)] == ["ok"]

    def test_are_written_down_even_if_the_rows_break_the_schema(self, project):
        @table_asset("entities", tasks=("description",))
        def entities(models: Models) -> pl.DataFrame:
            models.run(models.chat(a_request()))
            return rows_of("entities", {"id": "ada", "title": ""})

        with pytest.raises(TableError):
            materialise(entities, project)

        assert [call["status"] for call in calls_of(project)] == ["ok"]

    def test_found_in_the_memo_are_told_apart(self, project):
        def asset(code):
            @table_asset("entities", tasks=("description",), code=code)
            def entities(models: Models) -> pl.DataFrame:
                models.run(models.chat(a_request()))
                return rows_of("entities")

            return entities

        materialise(asset("1"), project)
        (again,) = materialise(asset("2"), project)

        assert (again.metadata["model_calls"], again.metadata["memo_hits"]) == (0, 1)


class TestMetadata:
    def test_counts_rows_and_shows_the_first(self, project):
        materialise(source_of(document("Light | house")), project)
        (result,) = materialise(corpus.text_units, project)

        assert result.metadata["dagster/row_count"] == 1
        assert result.metadata["inserted"] == 1
        assert "Ada\u00a0Brook" in result.metadata["preview"].value

    def test_tells_every_check_of_the_table(self, project):
        materialise(source_of(document("Light")), project)
        (result,) = materialise(corpus.text_units, project)

        assert {check.check_name: check.passed for check in result.check_results} == {
            "spans_quote_their_documents": True,
            "text_units_document_id_exists": True,
        }

    def test_a_column_says_its_type_meaning_and_constraints(self):
        found = {column.name: column for column in column_schema("entities").columns}

        assert found["id"].type == "String"
        assert found["id"].constraints.unique
        assert not found["title"].constraints.nullable
        assert found["degree"].description == "Relationships it has."

    def test_the_cost_of_unknown_prices_is_unknown(self):
        call = Call(**dict.fromkeys(Call.__dataclass_fields__) | FREE)
        paid = Call(**dict.fromkeys(Call.__dataclass_fields__) | FREE | {"cost_usd": 1.5})

        assert call_metadata([paid, call])["cost_usd"] == "unknown"
        assert call_metadata([paid, paid])["cost_usd"] == 3.0
        assert call_metadata([]) == {}

    def test_a_table_is_markdown_that_no_cell_can_break(self):
        rows = pl.DataFrame({"text": ["a|b\nc", None, "x" * 100, "[l](h) <b>"]})

        assert markdown_table(rows).splitlines() == [
            "|text|",
            "|-|",
            "|a\\|b\u00a0c|",
            "||",
            "|" + "x" * 43 + "…|",
            "|\\[l\\](h)\u00a0\\<b\\>|",
        ]
        assert markdown_table(rows.clear()) == "(none)"

    @pytest.mark.parametrize("table", TABLES)
    def test_a_preview_is_short_enough_to_be_shown_in_place(self, table):
        schema = TABLES[table].create_empty().schema
        rows = pl.DataFrame({name: ["x" * 500] * 9 for name in schema})

        assert len(markdown_table(rows)) < 1000

    def test_a_check_says_its_law_and_the_first_row_that_breaks_it(self):
        check = Check("few", "entities", blocking=True, meaning="Few are lost.", statement="")
        holds = check_result(Verdict(check, pl.DataFrame({"lost": []})), dg.AssetKey("entities"))
        broken = check_result(
            Verdict(check, pl.DataFrame({"lost": ["a", "b"]})), dg.AssetKey("entities")
        )

        assert holds.description == "It holds."
        assert "first" not in holds.metadata
        assert broken.description == "2 rows break it; the first: lost = a."
        assert broken.metadata["law"].value == "Few are lost."
        assert broken.metadata["first"].value == "|lost|\n|-|\n|a|\n|b|"

    def test_a_table_has_a_picture_that_outlives_a_run_without_work(self, project):
        materialise(source_of(document("Light | house")), project)
        (first,) = materialise(corpus.text_units, project)
        (second,) = materialise(corpus.text_units, project)

        assert not second.metadata["recomputed"]
        assert first.metadata["picture"].value.startswith("![Text units by length](data:image/svg")
        assert second.metadata["picture"] == first.metadata["picture"]

    def test_pictures_can_be_turned_off(self, project):
        run = project.settings.run.model_copy(update={"pictures": False})
        settings = project.settings.model_copy(update={"run": run})
        materialise(source_of(document("Light | house")), replace(project, settings=settings))
        (result,) = materialise(corpus.text_units, replace(project, settings=settings))

        assert "picture" not in result.metadata


FREE = {"prompt_tokens": 10, "completion_tokens": 1, "from_memo": False, "cost_usd": None}


class TestDefinition:
    def test_an_error_of_ours_fails_the_step_with_its_words(self, project):
        @table_asset("documents", source=True)
        def documents() -> pl.DataFrame:
            raise CorpusError("data/input", "does not exist")

        (asset,) = Pipeline(project, [documents]).definitions()
        resources = {"duckdb": database_of(project)}
        with pytest.raises(dg.Failure, match="Corpus root `data/input` does not exist") as caught:
            dg.materialize([asset], resources=resources)

        assert isinstance(caught.value.__cause__, CorpusError)

    def test_an_asset_shows_where_it_stands_and_what_it_means(self, project):
        (spec,) = Pipeline(project, [corpus.text_units]).definitions()[0].specs

        assert spec.code_version == corpus.text_units.recipe(project)
        assert spec.group_name == "corpus"
        assert spec.metadata["dagster/table_name"] == "graphrag.main.text_units"
        assert spec.description.startswith(meaning("text_units") + "\n\nCut documents where ")
