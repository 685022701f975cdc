"""The map's page of a large index: seconds to build, megabytes, frames while zooming.

    python benchmarks/map.py [--entities 100000] [--output map.html]

The index is synthetic: entities in nested communities with places around their middles, with
relationships, reports that cite, documents and text units. Frames are counted in headless
Chromium where playwright and a browser are there (pip install playwright).
"""

import argparse
import hashlib
import json
import shutil
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

from graphrag_assets.atlas import map_page
from graphrag_assets.query.reader import Reader
from graphrag_assets.store import Store, append
from graphrag_assets.tables import TABLES, columns

WORDS = [
    "offshore",
    "wind",
    "sovereign",
    "debt",
    "chip",
    "supply",
    "vaccine",
    "trials",
    "arctic",
    "shipping",
    "water",
    "rights",
    "battery",
    "recycling",
    "antitrust",
    "open",
    "source",
    "coral",
    "reefs",
    "rail",
    "freight",
    "carbon",
    "markets",
    "cyber",
    "defence",
    "rare",
    "earths",
    "gene",
    "therapy",
    "data",
    "centres",
    "bank",
    "mergers",
    "election",
    "law",
    "crop",
    "insurance",
    "space",
    "debris",
]
BRANCHING = (40, 8, 8, 6)  # children of the root, of a C0, of a C1, of a C2
MEASURE = """async () => {
  const view = window.atlasView, fit = view.fit, times = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (let k = 0; k < 60; k++) {
    const began = performance.now();
    view.show({ target: fit.target, zoom: fit.zoom + 4 * k / 60 });
    await frame();
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return { median_ms: times[30], worst_ms: times[59] };
}"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--entities", type=int, default=100_000)
    arguments.add_argument("--output", type=Path)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        published = synthetic_index(Path(folder), given.entities)
        reader = Reader(published)
        wall, cpu = time.perf_counter(), time.process_time()
        page = map_page(reader, kind="entity", title="Synthetic")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        path = given.output or Path(folder) / "map.html"
        path.write_text(page.html, encoding="utf-8")
        built = {
            "entities": page.points,
            "communities": page.communities,
            "left_out": page.left_out,
            "cpu_seconds": round(cpu, 1),
            "wall_seconds": round(wall, 1),
            "megabytes": round(path.stat().st_size / 1e6, 1),
        }
        print(json.dumps(built | frames(path)))


def frames(path: Path) -> dict[str, object]:
    """Open the page in headless Chromium and zoom in by a factor of 16 in 60 steps."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return {"frames": "not measured: playwright isn't installed"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="dark")
        began = time.perf_counter()
        page.goto(path.resolve().as_uri())
        page.wait_for_selector("body[data-ready]", timeout=120_000)
        opened = time.perf_counter() - began
        found = page.evaluate(MEASURE)
        browser.close()
    return {
        "seconds_to_open": round(opened, 1),
        "frames_per_second": round(1000 / found["median_ms"], 1),
        "slowest_frame_ms": round(found["worst_ms"]),
    }


def synthetic_index(folder: Path, n: int) -> Path:
    """Publish an index of n entities and return its file."""
    random = np.random.default_rng(7)
    store = Store(folder, folder / "graphrag.duckdb")
    tables = synthetic_tables(random, n)
    with store.transaction() as connection:
        for name in TABLES:
            if name in tables:
                append(connection, name, completed(name, tables[name]))
    return store.publish(1)


def completed(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Add the columns that no map reads: NULL, or an empty list."""
    types = TABLES[table].create_empty().schema
    return rows.with_columns(
        pl.lit(None if column.nullable else [], types[name]).alias(name)
        for name, column in columns(table).items()
        if name not in rows.columns
    )


def synthetic_tables(random: np.random.Generator, n: int) -> dict[str, pl.DataFrame]:
    groups, places, home = nested(random, n)
    entity = ids("entity", n)
    documents, units = synthetic_texts(random, n // 5)
    relationships = synthetic_relationships(random, entity, home[-1])
    mentions = pl.DataFrame(
        {
            "text_unit_id": units["id"].gather(random.integers(0, units.height, 3 * n)),
            "entity_id": entity.gather(np.repeat(np.arange(n), 3)),
        }
    ).unique(["text_unit_id", "entity_id"], maintain_order=True)
    degree = pl.concat([relationships["source_id"], relationships["target_id"]]).value_counts()
    entities = pl.DataFrame({"id": entity, "title": titles(random, n, 2)}).join(
        degree.rename({"source_id": "id", "count": "degree"}), on="id", how="left"
    )
    return {
        **documents_and_units(documents, units),
        "entity_mentions": mentions.with_columns(
            ordinal=pl.int_range(pl.len()).over("text_unit_id"),
            title=pl.lit("x"),
            type=pl.lit("organization"),
            description=pl.lit("x"),
        ),
        "entities": entities.with_columns(
            pl.col("degree").fill_null(0),
            type=pl.lit("organization"),
            types=pl.lit(["organization"]),
            description=pl.format("{} is spoken of in several places of the corpus.", "title"),
            n_mentions=pl.lit(3),
            n_documents=pl.lit(2),
        ),
        "relationships": relationships,
        **synthetic_communities(random, groups, home, entity),
        "layout": pl.DataFrame({"id": entity, "x": places[:, 0], "y": places[:, 1]}).with_columns(
            ids("community 0", groups[0][0]).gather(home[0]).alias("community_id"),
            kind=pl.lit("entity"),
            size=1.0,
            fitted=True,
        ),
    }


def nested(
    random: np.random.Generator, n: int
) -> tuple[list[tuple[int, np.ndarray]], np.ndarray, list[np.ndarray]]:
    """Return for each level how many communities and their parents; places; homes by level."""
    groups, middles, spread = [], np.zeros((1, 2)), 10.0
    for branching in BRANCHING:
        parent = np.repeat(np.arange(len(middles)), branching)
        middles = middles[parent] + random.normal(0, spread, (len(parent), 2))
        groups.append((len(middles), parent))
        spread /= 3.2
    home = random.integers(0, len(middles), n)
    places = middles[home] + random.normal(0, spread, (n, 2))
    homes = [home]
    for _, parent in groups[:0:-1]:
        homes.insert(0, parent[homes[0]])
    return groups, places, homes


def synthetic_communities(
    random: np.random.Generator,
    groups: list[tuple[int, np.ndarray]],
    homes: list[np.ndarray],
    entity: pl.Series,
) -> dict[str, pl.DataFrame]:
    communities, members, above = [], [], None
    for level, ((size, parent), home) in enumerate(zip(groups, homes, strict=True)):
        mine = ids(f"community {level}", size)
        communities.append(
            pl.DataFrame(
                {
                    "id": mine,
                    "parent_id": above.gather(parent) if above is not None else [None] * size,
                    "size": np.bincount(home, minlength=size),
                },
                schema_overrides={"parent_id": pl.String},
            ).with_columns(level=level, n_relationships=1, born_in=1, event=pl.lit("new"))
        )
        members.append(pl.DataFrame({"community_id": mine.gather(home), "entity_id": entity}))
        above = mine
    found = pl.concat(communities).with_columns(fingerprint=pl.col("id"))
    cited = pl.format("It matters to all [E{}].", pl.lit(entity[0][:8]))
    reports = found.select(
        "level",
        community_id="id",
        title=pl.Series(titles(random, found.height, 4)),
        summary=pl.format("What community {} is about. {}", "id", cited),
    ).with_columns(
        findings=pl.lit(
            [{"summary": f"A finding. {'It goes on. ' * 8}", "explanation": "So it is. " * 40,
              "citations": [entity[0]]}] * 4
        ),
        rating=5.0, rating_explanation=pl.lit("It is spoken of."), full_content=pl.col("summary"),
        n_tokens=1, status=pl.lit("ok"), reason=None, evidence=pl.lit("x"), model=pl.lit("x"),
        recipe=pl.lit("x"), refreshed_in=1,
    )  # fmt: skip
    return {
        "communities": found,
        "community_members": pl.concat(members),
        "community_reports": reports,
    }


def synthetic_relationships(
    random: np.random.Generator, entity: pl.Series, home: np.ndarray
) -> pl.DataFrame:
    """Three relationships an entity: most to its own community, by preference to the first."""
    order = np.argsort(home, kind="stable")
    source = np.repeat(np.arange(len(order)), 3)
    step = np.minimum(random.geometric(0.15, len(source)), 60)
    target = np.maximum(source - step, 0)
    far = random.random(len(source)) < 0.1
    target[far] = random.integers(0, len(order), far.sum())
    ends = np.sort(np.stack([order[source], order[target]]), axis=0)
    pairs = pl.DataFrame({"one": entity.gather(ends[0]), "other": entity.gather(ends[1])})
    return (
        pairs.filter(pl.col("one") != pl.col("other"))
        .select(
            source_id=pl.min_horizontal("one", "other"), target_id=pl.max_horizontal("one", "other")
        )
        .group_by("source_id", "target_id", maintain_order=True)
        .agg(weight=pl.len().cast(pl.Float64))
        .with_row_index("row")
        .with_columns(
            id=pl.col("row").hash(7).cast(pl.String),
            description=pl.lit("They work together."),
            strength=1.0, n_mentions=1, combined_degree=2,
        )
        .drop("row")
    )  # fmt: skip


def synthetic_texts(random: np.random.Generator, n: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    text = [" ".join(random.choice(WORDS, 300)) for _ in range(200)]
    documents = pl.DataFrame({"id": ids("document", n // 4)})
    units = pl.DataFrame(
        {
            "id": ids("unit", n),
            "document_id": documents["id"].gather(np.arange(n) % documents.height),
            "text": [text[i % 200] for i in range(n)],
        }
    )
    return documents, units


def documents_and_units(documents: pl.DataFrame, units: pl.DataFrame) -> dict[str, pl.DataFrame]:
    path = pl.format("{}.txt", pl.col("id").str.slice(0, 8))
    return {
        "documents": documents.with_columns(
            path=path, record=None, title=pl.col("id"), text=pl.lit("x"), n_tokens=1,
            sha256=pl.lit("x"), metadata=pl.lit("{}"), pages=pl.lit([], pl.List(pl.Struct(
                {"page": pl.Int64, "start_char": pl.Int64}))),
        ),
        "text_units": units.with_columns(
            ordinal=pl.int_range(pl.len()).over("document_id"), n_tokens=300, start_char=0,
            end_char=pl.col("text").str.len_chars(), sha256=pl.col("id"),
        ),
        "index_versions": pl.DataFrame(
            {"version": [1], "created_at": [datetime.now(UTC)], "run_id": ["x"],
             "status": ["complete"], "counts": ["{}"], "settings": ["x"], "cost_usd": [0.0]}
        ),
    }  # fmt: skip


def ids(kind: str, n: int) -> pl.Series:
    return pl.Series(
        "id", [hashlib.sha256(f"{kind} {i}".encode()).hexdigest()[:32] for i in range(n)]
    )


def titles(random: np.random.Generator, n: int, words: int) -> list[str]:
    chosen = random.choice(WORDS, (n, words))
    return [f"{' '.join(row).capitalize()} {i}" for i, row in enumerate(chosen)]


if __name__ == "__main__":
    main()
