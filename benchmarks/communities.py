"""How stable communities are when documents change, and what they cost.

    python benchmarks/communities.py                       the stability table (3,000 documents)
    python benchmarks/communities.py --scale               100k and 1M relationships
    python benchmarks/communities.py --documents 20000 --changed 0.01

The corpus is synthetic: a document has a subject and three text units, each of which pairs up a
few things: the document's own, its subject's and the whole corpus's, the latter two drawn by
Zipf's law. A changed document is written anew. Scratch inherits ids, but no partition. A warm
start has no anchors. The floor is what differs if nobody moves (docs/adr/0020).
"""

import argparse
import hashlib
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl

from graphrag_assets.heap import spare_memory
from graphrag_assets.network import communities
from graphrag_assets.network.communities import Communities, detect_communities
from graphrag_assets.network.fingerprints import mix
from graphrag_assets.network.graph import degrees
from graphrag_assets.network.history import Previous

UNITS, THINGS, PAIRS = 3, 7, 8  # text units in a document, entities and relationships in a unit
OWN, OF_SUBJECT = 0.25, 0.9  # cumulated shares of where an entity is drawn from
NO_HOMES = pl.DataFrame(schema={"entity_id": pl.String, "home_id": pl.String})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--changed", type=float, nargs="*", default=[0.001, 0.01, 0.05, 0.1])
    parser.add_argument("--max-community-size", type=int, default=10)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--repeat", type=int, default=0, help="then so many updates of 1 %%")
    parser.add_argument("--scale", action="store_true", help="measure cost instead of stability")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.max_community_size, options.seed)
    elif options.scale:
        scale(options.max_community_size)
    else:
        stability(options)


def corpus(n_documents: int, revision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Endpoints (n_documents, UNITS * PAIRS) as numbers; revision (n_documents,) is each seed."""
    where, which = (_uniform(revision, stream, UNITS * THINGS) for stream in (0, 1))
    document = np.arange(n_documents)[:, None]
    subject = np.floor(n_documents / 25 * _uniform(0 * revision, 2, 1) ** 1.5)
    own = document * 7 + np.floor(which * 7)
    shared = 1e9 + subject * 1e4 + np.floor(120**which) - 1
    everywhere = 2e9 + np.floor((n_documents / 2) ** which) - 1
    things = np.where(where < OWN, own, np.where(where < OF_SUBJECT, shared, everywhere))
    unit = np.repeat(np.arange(UNITS), PAIRS)[None, :] * THINGS
    ends = (_uniform(revision, stream, UNITS * PAIRS) for stream in (3, 4))
    first, second = (np.floor(end * THINGS).astype(int) + unit for end in ends)
    return np.take_along_axis(things, first, 1), np.take_along_axis(things, second, 1)


def _uniform(revision: np.ndarray, stream: int, width: int) -> np.ndarray:
    """(documents, width) in [0, 1): the same for the same document, revision and stream."""
    rows = (
        np.arange(len(revision)) * 1_000_003 + revision * 7_919_000_017 + stream * 104_729_000_033
    )
    value = rows[:, None].astype(np.uint64) + np.arange(width, dtype=np.uint64) * np.uint64(
        15_485_863
    )
    return (mix(mix(value)) >> np.uint64(11)).astype(float) / 2**53


def graph(n_documents: int, revision: np.ndarray) -> tuple[pl.DataFrame, pl.DataFrame]:
    """entities, relationships of the corpus; a weight is the number of documents."""
    first, second = corpus(n_documents, revision)
    numbers, inverse = np.unique(np.stack([first.ravel(), second.ravel()]), return_inverse=True)
    names = [hashlib.sha256(str(int(x)).encode()).hexdigest()[:32] for x in numbers]
    a, b = (pl.Series(names).gather(end) for end in inverse.reshape(2, -1))
    document = np.repeat(np.arange(n_documents), first.shape[1])
    relationships = (
        pl.DataFrame({"a": a, "b": b, "document": document})
        .filter(pl.col("a") != pl.col("b"))
        .group_by(source_id=pl.min_horizontal("a", "b"), target_id=pl.max_horizontal("a", "b"))
        .agg(weight=pl.col("document").n_unique().cast(pl.Float64))
        .sort("source_id", "target_id")
    )
    return degrees(relationships).select("id"), relationships


def detect(entities, relationships, previous, options, version=1) -> Communities:
    return detect_communities(
        entities,
        relationships,
        homes=NO_HOMES,
        max_community_size=options.max_community_size,
        seed=options.seed,
        previous=previous,
        version=version,
    )


def evidence(found: Communities, relationships: pl.DataFrame) -> pl.DataFrame:
    """community_id, item: the members and inner weighted relationships of every community."""
    level = found.communities.select("level", community_id="id")
    placed = found.members.join(level, on="community_id")
    source = placed.rename({"entity_id": "source_id"})
    target = placed.rename({"entity_id": "target_id"})
    inner = relationships.join(source, on="source_id").join(
        target, on=["target_id", "level", "community_id"]
    )
    text = pl.concat_str("source_id", "target_id", "weight", separator=" ")
    return pl.concat(
        [
            found.members.select("community_id", item="entity_id"),
            inner.select("community_id", item=text),
        ]
    )


def moved(old: pl.DataFrame, new: pl.DataFrame) -> tuple[float, float]:
    """Share of new communities whose evidence differs, and by more than 10 % of its items."""
    shared = new.join(old, on=["community_id", "item"]).group_by("community_id").len("shared")
    sizes = new.group_by("community_id").len("now")
    before = old.group_by("community_id").len("before")
    both = (
        sizes.join(before, on="community_id", how="left")
        .join(shared, on="community_id", how="left")
        .fill_null(0)
        .with_columns(union=pl.col("now") + pl.col("before") - pl.col("shared"))
        .select(likeness=pl.col("shared") / pl.col("union"))
    )
    return float((both["likeness"] < 1).mean()), float((both["likeness"] < 0.9).mean())


def forgetful(previous: Previous) -> Previous:
    """The same communities, recognised by nothing: ids are inherited, the partition is fresh."""
    unknown = pl.lit("0" * 32)
    return Previous(previous.communities.with_columns(fingerprint=unknown), previous.members)


def unmoved(first: Communities, entities: pl.DataFrame, relationships: pl.DataFrame) -> Communities:
    """Return the communities if nobody moves: who is gone is missing, who is new is tied in.

    A new entity joins the community of level 0 that it is tied to most, then of its children.
    Entities that know only new ones join nothing.
    """
    members = first.members.join(entities.select(entity_id="id"), on="entity_id")
    ends = ("source_id", "target_id")
    ties = pl.concat(
        relationships.select(
            pl.col(one).alias("new_id"), pl.col(other).alias("entity_id"), "weight"
        )
        for one, other in (ends, ends[::-1])
    ).join(first.members, left_on="new_id", right_on="entity_id", how="anti")
    homes = ties.select("new_id", parent_id=pl.lit(None, pl.String)).unique()
    joined = [members]
    for level in range(first.communities["level"].max() + 1):
        here = first.communities.filter(pl.col("level") == level)
        homes = (
            ties.join(members, on="entity_id")
            .join(here.select("parent_id", community_id="id"), on="community_id")
            .join(homes, on=["new_id", "parent_id"], nulls_equal=True)
            .group_by("new_id", "community_id")
            .agg(pl.col("weight").sum())
            .sort("weight", "community_id", descending=[True, False])
            .unique("new_id", keep="first", maintain_order=True)
            .select("new_id", parent_id="community_id")
        )
        joined.append(homes.select(community_id="parent_id", entity_id="new_id"))
    return replace(first, members=pl.concat(joined))


def stability(options) -> None:
    n = options.documents
    revision = np.zeros(n, dtype=np.int64)
    entities, relationships = graph(n, revision)
    first = detect(entities, relationships, None, options)
    before = evidence(first, relationships)
    previous = Previous(first.communities, first.members)
    print(
        f"{n:,} documents, {entities.height:,} entities, {relationships.height:,} relationships, "
        f"{first.communities.height:,} communities, modularity {first.modularity:.4f}\n"
    )
    print("Share of reports to write again: differ / by > 10 %, modularity of level 0\n")
    print("| changed | scratch | warm start | anchored | floor | CPU s of anchored | path |")
    print("|---|---|---|---|---|---|---|")
    for share in options.changed:
        now = graph(n, _revise(revision, share, seed=7))
        scratch = detect(*now, forgetful(previous), options, version=2)
        with patch.multiple(communities, ANCHOR=0.0, ANCHOR_BELOW=0.0):
            warm = detect(*now, previous, options, version=2)
        started = time.process_time()
        update = detect(*now, previous, options, version=2)
        cpu = time.process_time() - started
        ways = (scratch, warm, update, unmoved(first, *now))
        shares = [moved(before, evidence(found, now[1])) for found in ways]
        cells = [f"{differ:.1%} / {much:.1%}" for differ, much in shares]
        for i, found in enumerate(ways[:-1]):
            cells[i] += f", {found.modularity:.4f}"
        print(f"| {share:.1%} | {' | '.join(cells)} | {cpu:.2f} | {update.note} |", flush=True)
    if options.repeat:
        repeat(options, revision, previous)


def repeat(options, revision: np.ndarray, previous: Previous) -> None:
    for i in range(options.repeat):
        revision = _revise(revision, 0.01, seed=i)
        entities, relationships = graph(options.documents, revision)
        update = detect(entities, relationships, previous, options, version=i + 2)
        previous = Previous(update.communities, update.members)
    scratch = detect(entities, relationships, None, options)
    print(
        f"\nafter {options.repeat} updates of 1 %: modularity {update.modularity:.4f} "
        f"({update.note}), from scratch {scratch.modularity:.4f}"
    )


def _revise(revision: np.ndarray, share: float, *, seed: int) -> np.ndarray:
    changed = np.random.default_rng(seed).permutation(len(revision))[: round(share * len(revision))]
    revised = revision.copy()
    revised[changed] += 1
    return revised


def scale(max_community_size: int) -> None:
    print(
        "| relationships | entities | communities | levels | Q | run | CPU s | wall s | peak MB |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for n_documents in (6_600, 66_000):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            revision = np.zeros(n_documents, dtype=np.int64)
            for name, state in (("old", revision), ("new", _revise(revision, 0.01, seed=7))):
                entities, relationships = graph(n_documents, state)
                entities.write_parquet(root / f"{name}_entities.parquet")
                relationships.write_parquet(root / f"{name}_relationships.parquet")
            for _ in range(2):  # the second finds the first one's communities and updates them
                command = [sys.executable, __file__, "--measure", str(root)]
                subprocess.run(
                    [*command, "--max-community-size", str(max_community_size)], check=True
                )


def measure(root: Path, max_community_size: int, seed: int) -> None:
    """Run once on the tables in root; print a row of the table; leave the communities there."""
    spare_memory()
    update = (root / "communities.parquet").exists()
    name = "new" if update else "old"
    entities = pl.read_parquet(root / f"{name}_entities.parquet")
    relationships = pl.read_parquet(root / f"{name}_relationships.parquet")
    previous = None
    if update:
        tables = (pl.read_parquet(root / f"{t}.parquet") for t in ("communities", "members"))
        previous = Previous(*tables)
    base, cpu, wall = _start_peak(), time.process_time(), time.perf_counter()
    found = detect_communities(
        entities,
        relationships,
        homes=NO_HOMES,
        max_community_size=max_community_size,
        seed=seed,
        previous=previous,
        version=1,
    )
    cpu, wall, peak = time.process_time() - cpu, time.perf_counter() - wall, _peak() - base
    print(
        f"| {relationships.height:,} | {entities.height:,} | {found.communities.height:,} "
        f"| {found.communities['level'].max() + 1} | {found.modularity:.4f} "
        f"| {found.note} | {cpu:.1f} | {wall:.1f} | {peak:.0f} |",
        flush=True,
    )
    found.communities.write_parquet(root / "communities.parquet")
    found.members.write_parquet(root / "members.parquet")


def _start_peak() -> float:
    """Forget the peak so far where Linux allows it; return the memory held now, in MB."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _peak()
    return _status("VmRSS")


def _peak() -> float:
    if Path("/proc/self/status").exists():
        return _status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _status(key: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(key))) / 1024


if __name__ == "__main__":
    main()
