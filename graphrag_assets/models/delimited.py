"""Entities and relationships as records with marks between the fields -> the fields of a reply.

Older prompts of the field ask for `("entity"<|>NAME<|>TYPE<|>DESCRIPTION)##`, and models that saw
many of them answer so whatever they are asked for, with marks that drift: `<||>`, `< | >`, `<|#|>`.
"""

import re
from typing import Any

MARK = re.compile(r"<\s*[|#\\][\s|#\\]*>")
START = re.compile(
    rf"(?P<open>\()?\s*[\"'`]?\b(?P<kind>entity|relation(?:ship)?)\b[\"'`]?\s*(?:{MARK.pattern})",
    re.I,
)
END = re.compile(r"[\s#]*(?:<\s*\|?\s*COMPLETE\s*\|?\s*>)?[\s#]*$", re.I)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
WRAPPING = " \t\r\n\"'`"


def delimited(text: str) -> tuple[dict[str, list[dict[str, Any]]], bool]:
    """Return a text's records as {entities, relationships}, and whether the last one broke off.

    A record with too few fields lacks them here too; one that broke off is left out.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    starts = list(START.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    cut = False
    for start, end in zip(starts, ends, strict=False):
        body = END.sub("", text[start.end() : end])
        cut = bool(start["open"]) and not body.endswith(")") and end == len(text)
        if cut:
            break
        fields = [field.strip(WRAPPING) for field in MARK.split(body.removesuffix(")"))]
        if start["kind"].lower() == "entity":
            found.setdefault("entities", []).append(_entity(fields))
        else:
            found.setdefault("relationships", []).append(_relationship(fields))
    return found, cut


def _entity(fields: list[str]) -> dict[str, Any]:
    return dict(zip(("name", "type", "description"), fields, strict=False))


def _relationship(fields: list[str]) -> dict[str, Any]:
    """Read source, target, description, and a weight at the end if there is one."""
    ends = dict(zip(("source", "target", "description"), fields, strict=False))
    return ends | ({"weight": fields[-1]} if NUMBER.fullmatch(fields[-1]) else {})
