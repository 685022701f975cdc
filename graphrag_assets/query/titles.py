"""What elements are called, where they are known by their ids alone."""

from collections.abc import Iterable
from itertools import chain

from graphrag_assets.query.reader import Reader


def titles(reader: Reader, elements: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return titles of elements (kind, id), by id; those that have none are left out."""
    ids: dict[str, list[str]] = {"entity": [], "relationship": [], "claim": []}
    for kind, ref in elements:
        ids.get(kind, []).append(ref)
    return {
        **dict(reader.look_up("entity_titles", ids["entity"])),
        **names_of_relationships(reader, ids["relationship"]),
        **dict(reader.look_up("claim_titles", ids["claim"])),
    }


def names_of_relationships(reader: Reader, relationships: Iterable[str]) -> dict[str, str]:
    """Return what relationships are called, by id: as their two ends, in the order of the ids."""
    wanted = list(dict.fromkeys(relationships))
    ends: dict[str, list[str]] = reader.relations.ends(wanted) if wanted else {}
    both = chain.from_iterable(ends.values())
    names: dict[str, str] = dict(reader.look_up("entity_titles", both))
    known = (ref for ref in wanted if ref in ends and names.keys() >= {*ends[ref]})
    return {ref: " — ".join(names[end] for end in ends[ref]) for ref in known}
