"""Claims of one text unit: sentences that decide, accuse, deny, promise, find or agree.

The status comes from the words of the sentence: FALSE where it refutes, SUSPECTED where it hedges
or only reports what somebody says, else TRUE.
"""

import re
from collections.abc import Sequence
from typing import Literal

from graphrag_assets.models.offline import dates, units
from graphrag_assets.models.offline.prose import has_han
from graphrag_assets.models.offline.units import Unit
from graphrag_assets.models.replies import ExtractedClaim, ExtractedClaims

MAX_CLAIMS, PART = 40, 3

# Kind of claim -> the words that show it; the first kind that fits counts.
VERBS = {
    "denial": r"den(?:y|ies|ied)|refus(?:es|ed)|reject(?:s|ed)|disput(?:es|ed)|denial",
    "finding": (
        r"f(?:ound|inds) (?:that|no|it)|finds?|no evidence|nothing to show|evidence that|conclud\w+"
        r"|show(?:s|ed) that|admitt?(?:ed|s)|confirm(?:s|ed)?|prov(?:es|ed|en)|untrue|no sign"
    ),
    "penalty": (
        r"fined|dismiss(?:ed|es)|(?:is|was|been) withdrawn|convict\w+|sentenc\w+|suspend(?:ed|s)"
        r"|banned|penalt\w+"
    ),
    "accusation": (
        r"accus\w+|alleg\w+|blam(?:es|ed)|suspect\w*|charg(?:ed|es) with|fraud|leak(?:ed|s)?"
        r"|brib\w+|insider"
    ),
    "decision": (
        r"decid\w+|decision|grant(?:s|ed)|approv\w+|order(?:s|ed) (?:the|that|an?)|vot(?:es|ed)"
        r"|ruled?|forbid\w*|put off|struck out|resign\w*|appoint\w*|adjourn\w*"
    ),
    "agreement": (
        r"agree(?:s|d|ment)|settled?|sign(?:ed|s)|promis\w+|will (?:pay|replace|build|lend|carry)"
        r"|pledg\w+|warrants?|lent"
    ),
    "demand": (
        r"demand\w*|ask(?:s|ed) (?:for|that|the|an?)|claim(?:s|ed)?|oppos\w+|object(?:s|ed|ion)"
        r"|apologi[sz]ed"
    ),
    "event": (
        r"bought|sold|sank|lost|died|founded|opened|closed|broke|fail(?:ed|ing)|rescued|took all"
        r"|delivered|built|laid|discover\w*|behind|late|paid|worn"
    ),
}
VERBS_ZH = {
    "denial": "否认|拒绝|不承认",
    "finding": "认定|证据|证明|查明|确认|承认|不实|结论|没有迹象|看不到",
    "penalty": "处罚|罚款|免职|停职|吊销|判处|撤销",
    "accusation": "指控|指责|归咎|涉嫌|泄密|泄露|内幕|怀疑",
    "decision": "决定|批准|准许|命令|投票|通过|推迟|辞去|辞职|任命|禁止|裁定",
    "agreement": "协议|同意|和解|签订|签字|承诺|约定|支付|提供贷款",
    "demand": "要求|请求|索赔|主张|反对|异议|道歉",
    "event": (
        "买入|卖给|沉没|遇难|创办|开幕|冲垮|失效|救下|找到|交付|建成|敷设|付|升值|迟了|迟到|磨穿"
    ),
}
_VERBS = {
    kind: re.compile(rf"\b(?:{verbs})\b|{VERBS_ZH[kind]}", re.IGNORECASE)
    for kind, verbs in VERBS.items()
}
_REFUTED = re.compile(
    r"\b(?:untrue|not true|false(?:ly)?|no evidence|nothing to show|no (?:sign|harm|proof)|"
    r"refuted|disproved|"
    r"unfounded|did not (?:cause|break|harm|kill|know)|(?:was|were) not (?:true|the cause|"
    r"guilty))\b|"
    r"没有证据|不实|不属实|并非|未造成|没有迹象|看不到.{0,12}迹象|虚假|"
    r"(?<!而)不是.{1,12}(?:弄坏|造成|导致)",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:alleg\w+|suspect\w*|may have|might|could have|reportedly|apparently|possibl[ey]|"
    r"probabl[ey]|seems?|"
    r"appears?|believed to|rumou?rs?|unclear|claim(?:s|ed) that|according to|den(?:y|ies|ied)|"
    r"blam(?:es|ed)|accus\w+|"
    r"would|hopes?|expects?|likely|unless|on hold)\b|"
    r"据称|涉嫌|可能|或许|似乎|据说|传闻|否认|归咎|声称|希望|预计|称其|除非|暂缓",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\b(?:to|until|till|through)\b|[–—~至到]")


def extract(text: str, listed: str) -> ExtractedClaims:
    """Return the claims that a text makes about the listed entities."""
    unit = units.read(text)
    known = _known(unit, listed)
    claims = []
    for number, sentence in enumerate(unit.sentences):
        kind = next((kind for kind, verb in _VERBS.items() if verb.search(sentence.text)), "")
        if kind and sentence.role == "body" and not unit.is_signature(number):
            claims += _claims(unit, number, kind, known)
    return ExtractedClaims(claims=claims[:MAX_CLAIMS])


def _claims(unit: Unit, number: int, kind: str, known: dict[int, str]) -> list[ExtractedClaim]:
    """Return the claim of a sentence that names a listed entity, or begins with a word for one."""
    about = [at for at in unit.present[number] if at in known]
    about.sort(key=lambda at: unit.places(at, number)[0])
    meant = [at for at in unit.meant(number) if at in known]
    names = list(dict.fromkeys(known[at] for at in (*meant[:1], *about)))
    if not names:
        return []
    first = number - 1 if meant else number
    sentence, lead = unit.sentences[number], unit.sentences[first]
    shown = sentence.text if first == number else _joined(lead.text, sentence.text)
    found = list(dates.all_in(shown, unit.date))
    return [
        ExtractedClaim(
            subject=names[0],
            object=names[1] if len(names) > 1 else "",
            type=kind,
            status=_status(sentence.text),
            description=shown[:1000],
            start_date=found[0] if found else unit.date,
            end_date=found[-1] if len(found) > 1 and _RANGE.search(shown) else "",
            quote=unit.text[lead.start : sentence.end].strip()[:1000],
        )
    ]


def _joined(first: str, second: str) -> str:
    return first + ("" if has_han(first) else " ") + second


def _status(sentence: str) -> Literal["TRUE", "FALSE", "SUSPECTED"]:
    if _REFUTED.search(sentence):
        return "FALSE"
    return "SUSPECTED" if _HEDGED.search(sentence) else "TRUE"


def _known(unit: Unit, listed: str) -> dict[int, str]:
    """Return the unit's names that are listed, as the list writes them; all, if nothing is."""
    names = {_key(name): name for name in _names(listed)}
    if not names:
        return {at: name.text for at, name in enumerate(unit.names)}
    found = {}
    for at, name in enumerate(unit.names):
        key = _key(name.text)
        close = names.get(key) or _closest(key, names)
        if close:
            found[at] = close
    return found


def _closest(key: str, names: dict[str, str]) -> str:
    fits = [full for other, full in names.items() if _is_part(key, other) or _is_part(other, key)]
    return fits[0] if len(fits) == 1 else ""


def _is_part(a: str, b: str) -> bool:
    return len(a) > 1 and (
        b.endswith((" " + a, "·" + a)) or (has_han(b) and len(a) >= PART and a in b)
    )


def _names(listed: str) -> Sequence[str]:
    lines = [re.sub(r"^\s*(?:[-*•]|\d+[.)])\s*", "", line) for line in listed.splitlines()]
    names = [re.split(r"\s+[(（]|\s*[:：]\s", line)[0].strip() for line in lines]
    if len(names) == 1:
        names = re.split(r"\s*[,，、;；]\s*", names[0])
    return [name for name in names if name]


def _key(name: str) -> str:
    return re.sub(r"^the ", "", name.casefold().strip())
