"""Fingerprints of subgraphs: 64-bit sums of mixed hashes, the same on every machine.

A set is hashed by the sum of its elements' hashes (Bellare and Micciancio 1997), so it takes one
pass and no sorting. polars' and Python's own hashes change between versions: these don't.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from graphrag_assets.network.graph import Graph, Hashes, Ints

INNER = 32  # hex digits of a fingerprint that tell members and inner relationships
NO_CROSSING = "0" * 16
SOME = 50_000  # strings that are copied at a time


def mix(value: Hashes) -> Hashes:
    """splitmix64 (Steele, Lea and Flood 2014) of every element."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


def hash_strings(strings: pl.Series) -> Hashes:
    """Return (n,) a hash of each string, eight bytes at a time."""
    parts = [_hash_some(part) for part in strings.to_frame().iter_slices(SOME)]
    return np.concatenate([np.zeros(0, dtype=np.uint64), *parts])


def _hash_some(strings: pl.DataFrame) -> Hashes:
    raw = np.array([s.encode() for (s,) in strings.iter_rows()])
    width = -(-raw.dtype.itemsize // 8)
    words = raw.astype(f"S{8 * width}").view("<u8").reshape(len(raw), width).astype(np.uint64)
    value = np.zeros(len(raw), dtype=np.uint64)
    for word in words.T:  # padding must not count, or the longest id would change all others
        value = np.where(word == 0, value, mix(value ^ word))
    return value


@dataclass(frozen=True, eq=False)
class GraphHashes:
    """What the fingerprints of all subgraphs are added up from."""

    entity: Hashes  # (n,)
    relationship: Hashes  # (m,) of endpoints and weight
    salt: np.uint64  # of the settings: communities made under others count as changed


def hash_graph(graph: Graph, *, max_community_size: int, seed: int) -> GraphHashes:
    """Hash every entity and relationship once."""
    entity = hash_strings(graph.ids)
    ends = mix(mix(entity[graph.source]) ^ entity[graph.target])
    settings = np.array([max_community_size, seed & (2**64 - 1)], dtype=np.uint64)
    return GraphHashes(
        entity=mix(entity),
        relationship=mix(ends ^ graph.weight.view(np.uint64)),
        salt=mix(settings).sum(dtype=np.uint64),
    )


def fingerprints(
    graph: Graph, hashes: GraphHashes, label: Ints, n: int, *, crossing: bool
) -> list[str]:
    """Return n fingerprints of the subgraphs that label (entities,) marks 0..n-1; -1 is none.

    The first 32 digits tell members and inner relationships. With `crossing`, 16 more tell the
    relationships that leave: if all of these stay too, so does the whole graph.
    """
    source, target = label[graph.source], label[graph.target]
    inner = (source >= 0) & (source == target)
    members = _sums(label, hashes.entity, n)
    relations = _sums(source[inner], hashes.relationship[inner], n)
    parts = [_hex(mix(members ^ hashes.salt)), _hex(mix(relations ^ hashes.salt))]
    if crossing:
        leaves = hashes.relationship[~inner]
        parts.append(_hex(_sums(source[~inner], leaves, n) + _sums(target[~inner], leaves, n)))
    return ["".join(digits) for digits in zip(*parts, strict=True)]


def _sums(label: Ints, values: Hashes, n: int) -> Hashes:
    total = np.zeros(n, dtype=np.uint64)
    known = label >= 0
    np.add.at(total, label[known], values[known])
    return total


def _hex(values: Hashes) -> list[str]:
    digits = values.astype(">u8").tobytes().hex()
    return [digits[i : i + 16] for i in range(0, len(digits), 16)]
