"""Points of reports that help with a question, and their merger into one answer."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from graphrag_assets.models.offline import answers, evidence
from graphrag_assets.models.offline.answers import nearness, nothing
from graphrag_assets.models.offline.centrality import Floats, Space
from graphrag_assets.models.offline.evidence import Statement, cite
from graphrag_assets.models.offline.prose import has_han, is_chinese, terms
from graphrag_assets.models.replies import Point, Points, Rating

MAX_POINTS = 8
SHOWN = 12
RELEVANT = 0.25
HELPS = 3
GIST = 0.4
SUMMARY = 3
SHARED, ALIKE = 0.3, 0.2
_BROAD = re.compile(
    r"\b(?:main|major|key|overall|overview|themes?|topics?|summar\w+|collection|corpus|dataset|"
    r"documents|story|conflicts?|lessons?|trends?|important|most|general|attitudes?)\b|"
    r"主要|主题|总体|概括|概述|总结|哪些|这批|全部|文档|故事|冲突|趋势|重要|态度",
    re.IGNORECASE,
)


def map_points(context: str, question: str) -> Points:
    """Return the statements of reports that help with a question, each with its report's id."""
    found = _whole_reports(context)
    query = Counter(terms(question))
    if not found or not query:
        return Points()
    space = Space([f"{statement.title} {statement.text}" for statement in found])
    scores = _relevance(found, space, query, question)
    order = space.choose(scores, MAX_POINTS, diversity=0.35)
    points = [
        Point(answer=found[at].cited()[:6000], score=round(min(100.0, 100 * float(scores[at]))))
        for at in order
        if scores[at] >= RELEVANT
    ]
    return Points(points=sorted(points, key=lambda point: -point.score))


def rate(context: str, question: str) -> Rating:
    """Return how far the data helps; a report helps with every question about the whole."""
    rating = answers.rate(context, question)
    of_report = any(item.kind == "P" for item in evidence.items(context))
    if rating.rating >= HELPS or not (of_report and is_broad(question)):
        return rating
    return Rating(rating=HELPS, reason="The question is about the whole, this is a part of it.")


def is_broad(question: str) -> bool:
    """Whether a question asks about the whole of a collection."""
    return bool(_BROAD.search(question))


def reduce_points(context: str, question: str) -> str:
    """Return the best points, each once, with their citations, related ones beside each other."""
    chinese = is_chinese(question)
    merged: dict[str, tuple[float, str, tuple[str, ...]]] = {}
    for score, line in evidence.points(context):
        text, ids = evidence.uncited(line)
        key = re.sub(r"\W+", "", text.casefold())
        if key and score > 0:
            old = merged.get(key, (score, text, ()))
            merged[key] = (max(score, old[0]), text, tuple(dict.fromkeys(old[2] + ids)))
    if not merged:
        return nothing(chinese=chinese)
    best = list(merged.values())
    space = Space([text for _, text, _ in best])
    order = space.choose(np.array([score for score, _, _ in best]), SHOWN, diversity=0.3)
    lines = [f"- {cite(best[at][1], best[at][2])}" for at in _grouped(space, order)]
    opening = "报告中与此最相关的要点：" if chinese else "What the reports say on this:"
    return opening + "\n\n" + "\n".join(lines)


def _grouped(space: Space, order: Sequence[int]) -> list[int]:
    """Return the indexes so that each is followed by those that are most like it."""
    left, grouped = list(order), list[int]()
    while left:
        head = left.pop(0)
        near = [at for at in left if space.likeness[head, at] > RELEVANT]
        grouped += [head, *near]
        left = [at for at in left if at not in near]
    return grouped


def _whole_reports(context: str) -> list[Statement]:
    """Return the statements of reports, cited by the report alone; other items' as they are."""
    items = evidence.items(context)
    reports = {at: item.id for at, item in enumerate(items) if item.kind == "P"}
    return [
        Statement(
            text=statement.text,
            ids=(reports[statement.item],) if statement.item in reports else statement.ids,
            kind=statement.kind,
            names=statement.names,
            title=statement.title,
            item=statement.item,
        )
        for statement in evidence.statements(items)
    ]


def _relevance(
    found: Sequence[Statement], space: Space, query: Counter[str], question: str
) -> Floats:
    """Return 0 to 1: shared terms, likeness in meaning, and for broad questions centrality."""
    overlap = space.overlap(query)
    texts = [statement.text for statement in found]
    cued = np.array([_cued(question, text) for text in texts])
    prior = (0.25 * space.centrality if _BROAD.search(question) else 0) + 0.25 * cued
    if is_broad(question) and overlap.max(initial=0) < SHARED:  # names nothing: the gist is asked
        prior = prior + GIST * (0.5 + 0.25 * space.centrality + 0.25 * _leads(found))
    near = nearness(texts, overlap + prior, question)
    if not _BROAD.search(question):
        prior = prior * ((overlap >= SHARED) | (near >= ALIKE))
        overlap = overlap * ((overlap >= SHARED) | (near >= ALIKE))
    scraps = np.array([len(text) < (14 if has_han(text) else 35) for text in texts])
    return np.asarray(0.75 * overlap + 0.6 * near + prior - 0.3 * scraps)


def _leads(found: Sequence[Statement]) -> Floats:
    """Return 1 for the first statements of each report, its summary, and 0 for the rest."""
    seen: Counter[int] = Counter()
    leads = []
    for statement in found:
        seen[statement.item] += 1
        leads.append(float(seen[statement.item] <= SUMMARY))
    return np.array(leads)


def _cued(question: str, text: str) -> bool:
    """Whether a statement shows what the question asks for by kind: conflicts, causes."""
    return any(asked.search(question) and shown.search(text) for asked, shown in _CUES)


def _cue(asked: str, shown: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(asked, re.IGNORECASE), re.compile(shown, re.IGNORECASE)


_CUES = (
    _cue(
        r"conflict|disput|controvers|quarrel|scandal|冲突|争议|矛盾|纠纷|丑闻",
        r"\b(?:oppos|den(?:y|ied)|refus|accus|blam|demand|claim|quarrel|disput|settle|"
        r"fine[ds]?\b|suspend|dismiss|"
        r"withdr|inquiry|mediat|leak)|反对|否认|拒绝|指控|归咎|要求|主张|争议|争执|和解|罚款|"
        r"停职|免职|撤回|调查|调解|泄",
    ),
    _cue(
        r"attitude|opinion|react|view of|feel|态度|看法|反应|立场",
        r"\b(?:oppos|agree|approv|demand|thank|vot(?:e|ed)|clap|wrong|wanted?|support|against)|"
        r"反对|同意|通过|要求|感谢|投票|鼓|支持|想要",
    ),
    _cue(
        r"decision|decid|决定|裁决",
        r"\b(?:decid|decision|grant|approv|order|vot(?:e|ed)|rul(?:e|ed)|resign|appoint)|决定|"
        r"批准|准许|命令|投票|通过|任命|辞",
    ),
    _cue(
        r"warn|risk|fail|neglect|mistake|警告|风险|失误|疏忽|没有理会",
        r"\b(?:warn|risk|advis|advice|audit|fail|neglect|put off|did not act|ignored|delay)|"
        r"警告|风险|建议|审计|失效|疏于|推迟|未采取|延误",
    ),
    _cue(
        r"\bwhy\b|cause|reason|because|为何|为什么|原因",
        r"\b(?:because|since|cause|due to|blame|so that|reason|therefore)|因为|由于|因|所以|"
        r"归咎|原因",
    ),
    _cue(
        r"agree|deal|promise|settle|how did (?:it|each|they) end|协议|承诺|了结|和解",
        r"\b(?:agree|settle|sign|promis|contract|pay|end(?:ed|s)\b|withdr)|协议|同意|签|承诺|"
        r"和解|支付|结束|撤回",
    ),
)
