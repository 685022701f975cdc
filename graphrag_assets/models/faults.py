"""A provider's error -> what to do about it. Reads status, headers and words; knows no library.

stop        every further call would fail too: key, model name, quota
key         no key is set; an endpoint of one's own may need none
wait        slow down, all of us, for as long as it says
busy        overloaded: try again with fewer calls at once
unreachable nobody answers at that address
broken      this attempt failed: try again
parameter   a parameter is not supported: leave it out
format      this form of structured output is not supported: take a simpler one
output      the answer may not be as long as we allow: allow less
context     the prompt is too long: shorten it
filtered    the provider declines on account of the content
bad         this request is wrong: repeating it doesn't help
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

Kind = Literal[
    "stop", "key", "wait", "busy", "unreachable", "broken",
    "parameter", "format", "output", "context", "filtered", "bad",
]  # fmt: skip
PARAMETERS = (
    "temperature", "max_completion_tokens", "max_tokens", "logit_bias", "stream_options",
    "encoding_format", "response_format",
)  # fmt: skip
REASON_LENGTH = 300
LONGEST_TEXT = 4000
EPOCH = 1e9  # seconds that are no wait, but a time
LONGEST_WAIT = 900.0  # a limit that lasts longer than a quarter of an hour is a quota


class ProviderError(Exception):
    """One attempt that failed, sorted."""

    def __init__(
        self,
        kind: Kind,
        reason: str,
        *,
        wait: float | None = None,
        parameter: str = "",
        limit: int | None = None,
    ) -> None:
        """Keep what the remedy needs: how long to wait, which parameter, which limit."""
        self.kind = kind
        self.reason = reason
        self.wait = wait
        self.parameter = parameter
        self.limit = limit
        super().__init__(f"{kind}: {reason}")


@dataclass(frozen=True)
class Symptom:
    """What an exception of any library says."""

    status: int
    text: str
    headers: Mapping[str, str] = field(default_factory=dict)
    parameter: str = ""
    names: frozenset[str] = frozenset()  # class names of the exception and its causes

    def says(self, pattern: str) -> bool:
        """Tell whether the words match a pattern."""
        return re.search(pattern, self.text, re.I | re.S) is not None


def sort_error(error: BaseException) -> ProviderError:
    """Return what an exception means; a ProviderError is itself."""
    if isinstance(error, ProviderError):
        return error
    return sort_symptom(_symptom(error))


def sort_symptom(symptom: Symptom) -> ProviderError:
    """Return the first meaning that applies."""
    for meaning in MEANINGS:
        if fault := meaning(symptom):
            return fault
    return _fault("bad", symptom)


def _symptom(error: BaseException) -> Symptom:
    causes = _causes(error)
    body = next(filter(None, map(_body, causes)), "")[:LONGEST_TEXT]
    named = re.search(r'"param":\s*"([^"]+)"', body)
    return Symptom(
        status=_status(error),
        text=body or str(error)[:LONGEST_TEXT] or type(error).__name__,
        headers=_headers(error),
        parameter=str(getattr(error, "param", None) or (named[1] if named else "")),
        names=frozenset(type(cause).__name__ for cause in causes),
    )


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _body(error: BaseException) -> str:
    """Return the provider's own words: litellm often leaves them out of its message."""
    try:
        return str(getattr(getattr(error, "response", None), "text", "") or "")
    except RuntimeError:  # a streamed response that nobody read
        return ""


def _status(error: BaseException) -> int:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _headers(error: BaseException) -> dict[str, str]:
    response = getattr(error, "response", None)
    sources = (
        getattr(error, "litellm_response_headers", None),
        getattr(response, "headers", None),
        getattr(error, "headers", None),
    )
    found: dict[str, str] = {}
    for source in sources:
        if isinstance(source, Mapping):
            found = {str(k).lower(): str(v) for k, v in source.items()} | found
    return found


def _fault(kind: Kind, symptom: Symptom, **remedy: object) -> ProviderError:
    return ProviderError(kind, reason_of(symptom.text), **remedy)  # type: ignore[arg-type]


def reason_of(text: str) -> str:
    """Return a provider's words on one line, short, without keys and library names."""
    text = re.split(r"\s*Traceback \(most recent call last\)", text)[0] or text
    found = re.search(r'"(?:message|error|detail|msg)":\s*"((?:[^"\\]|\\.)*)"', text)
    words = _unescaped(found[1]) if found else text
    words = re.sub(r"\b(?:litellm\.)?\w*(?:Error|Exception|Timeout)\b:?(?: - )?\s*", "", words)
    words = re.sub(r"\b(?:sk|pk|gsk|xai|key)-[\w\-*.]{3,}|\bAIza[\w\-]{8,}", "***", words)
    words = re.sub(r"(?i)(bearer|api[-_ ]?key(?: provided)?\s*[:=])\s*\S+", r"\1 ***", words)
    words = " ".join(words.split()) or " ".join(text.split())
    return words[:REASON_LENGTH].rstrip(". ")


def _unescaped(quoted: str) -> str:
    try:
        return str(json.loads(f'"{quoted}"', strict=False))
    except ValueError:
        return quoted


def public(url: str) -> str:
    """Return an address without the password that may stand in it."""
    return re.sub(r"//[^/@]+@", "//***@", url)


def _missing_key(s: Symptom) -> ProviderError | None:
    missing = (
        r"missing (?:\w+ )*(?:api[ _]key|credentials)|api[_ ]key.{0,60}(?:not set|must be set)"
        r"|no api[_ ]key|unable to locate credentials|credentials were not found"
    )
    return _fault("key", s) if s.status not in {403, 429} and s.says(missing) else None


def _unknown_model(s: Symptom) -> ProviderError | None:
    if s.says(r"llm provider not provided|GetLLMProvider|unable to map.{0,40}provider"):
        return ProviderError("stop", "no provider has this name; it must read provider/model")
    unknown = (
        r"(?:model|deployment)\b.{0,80}(?:not found|does(?: not|n't) exist|not a valid|is invalid)"
        r"|(?:unknown|invalid|no such|not a valid) model"
    )
    return _fault("stop", s) if s.status in {400, 404, 422, 500} and s.says(unknown) else None


def _refused_access(s: Symptom) -> ProviderError | None:
    if s.status == 403 and s.says(r"moderation|flagged|content policy"):  # noqa: PLR2004
        return _fault("filtered", s)
    bad_key = s.status == 400 and s.says(r"api[_ ]key.{0,20}(?:expired|not valid|invalid)")  # noqa: PLR2004
    return _fault("stop", s) if bad_key or s.status in {401, 402, 403} else None


def _quota(s: Symptom) -> ProviderError | None:
    spent = (
        r"insufficient_quota|billing_hard_limit|credit balance is too low|insufficient (?:balance|"
        r"credit|funds)|exceeded your current quota|quota.{0,20}per ?day|PerDay"
        r"|account is not active|余额不足|欠费"
    )
    if s.status not in {400, 403, 429} or not s.says(spent):
        return None
    # Gemini uses the same words for its limit per minute, but says how long to wait
    wait = wait_of(s.headers, s.text)
    final = s.says(r"insufficient_quota|PerDay") or wait is None
    return _fault("stop", s) if final else _fault("wait", s, wait=wait)


def _rate_limit(s: Symptom) -> ProviderError | None:
    if s.status != 429:  # noqa: PLR2004
        return None
    if s.says(r"request too large|must be reduced"):  # more than a whole minute's tokens
        return _fault("context", s, limit=_limit(s.text))
    wait = wait_of(s.headers, s.text)
    if wait is not None and wait > LONGEST_WAIT:
        return ProviderError("stop", f"{reason_of(s.text)} (it asks to wait {wait / 60:.0f} min)")
    return _fault("wait", s, wait=wait)


def _filtered(s: Symptom) -> ProviderError | None:
    words = (
        r"content[_ ]filter|content management policy|responsible ?ai|safety system|moderation"
        r"|content[_ ]policy|content exists risk|inappropriate content|prohibited_content"
        r"|blocked.{0,40}safety|prompt was blocked|敏感"
    )
    policy = "ContentPolicyViolationError" in s.names or (s.status == 400 and s.says(words))  # noqa: PLR2004
    return _fault("filtered", s) if policy else None


def _too_long(s: Symptom) -> ProviderError | None:
    output = (
        r"max(?:_completion|_output)?_tokens\W.{0,60}(?:too large|at most|greater|exceed|> ?\d)"
        r"|at most \d+ (?:completion|output) tokens|maximum allowed number of output tokens"
    )
    surely = r"max_tokens\W{0,3}must be (?:less|<=)|valid range of max_tokens"
    context = (
        r"context[_ ](?:length|window|size)|prompt is too long|input is too long|too many tokens"
        r"|input length.{0,40}exceed|reduce the length|maximum (?:input|prompt|model) length"
        r"|maximum number of tokens|inputs`? (?:tokens|must have less)|max_tokens must be at least"
        r"|max \d+ tokens per request|max allowed tokens|expected maxlength"
    )
    if s.status not in {0, 400, 413, 422, 500}:
        return None
    if s.says(surely) or (s.says(output) and not s.says(context)):
        return _fault("output", s, limit=_limit(s.text))
    known = "ContextWindowExceededError" in s.names or s.status == 413  # noqa: PLR2004
    return _fault("context", s, limit=_limit(s.text)) if known or s.says(context) else None


def _limit(text: str) -> int | None:
    """Return the number that a message names as the most it takes."""
    if "<html" in text.lower():
        return None
    patterns = (
        r"(?:> ?|<= ?|\bmax |\[\d+ )(\d{3,})",
        r"(?:at most|limit(?: of| is)?|up to|less than)\s*[^\d]{0,20}(\d{3,})",
        r"(?:maximum|max)[^\d]{0,60}?(?:is|of|length|size|:)[^\d]{0,20}(\d{3,})",
        r"exceeds?[^\d]{0,60}(\d{3,})",
        r"(\d{3,})[^\d]{0,30}(?:maximum|max\b|limit)",
    )
    for pattern in patterns:
        if found := re.search(pattern, text.replace(",", ""), re.I):
            return int(found[1])
    return None


def _format(s: Symptom) -> ProviderError | None:
    words = (
        r"response[_ ](?:format|schema|mime)|json[_ ]?(?:schema|object|mode)|structured[_ ]output"
        r"|grammar|guided_|invalid schema|output_config|output_format|specified schema"
    )
    if s.status in {400, 405, 415, 422, 500, 501} and (
        s.parameter == "response_format" or s.says(words)
    ):
        return _fault("format", s, parameter=_schema_words(s))
    return None


def _schema_words(s: Symptom) -> str:
    """Return "bounds" where a keyword of the schema is at fault, not the format itself."""
    keywords = r"max(?:Length|Items|imum)|min(?:Length|Items|imum)|keyword|not permitted"
    return "bounds" if s.says(keywords) else ""


def _parameter(s: Symptom) -> ProviderError | None:
    if s.status not in {0, 400, 422, 500} or not (
        s.parameter
        or s.says(
            r"support|unknown|unrecognized|unexpected|extra|not permitted|not allowed|invalid"
            r"|deprecated"
        )
    ):
        return None
    named = s.parameter.rpartition(".")[2] if s.parameter.rpartition(".")[2] in PARAMETERS else ""
    found = named or next((name for name in PARAMETERS if re.search(rf"\b{name}\b", s.text)), "")
    return _fault("parameter", s, parameter=found) if found else None


def _not_there(s: Symptom) -> ProviderError | None:
    return _fault("stop", s) if s.status in {404, 405, 410} else None


def _unreachable(s: Symptom) -> ProviderError | None:
    names = {"ConnectionRefusedError", "gaierror", "ClientConnectorError", "ConnectError"}
    return _fault("unreachable", s) if names & s.names else None


def _server(s: Symptom) -> ProviderError | None:
    if s.status in {498, 502, 503, 504, 529} or s.says(r"overloaded"):
        wait = wait_of(s.headers, "")
        return _fault("busy", s, wait=None if wait is None else min(wait, LONGEST_WAIT))
    lost = {"OSError", "ConnectionResetError", "TimeoutError", "APIConnectionError", "Timeout"}
    if s.status in {408, 409, 425, 499} or s.status >= 500 or lost & s.names:  # noqa: PLR2004
        return _fault("broken", s)
    return None


MEANINGS: tuple[Callable[[Symptom], ProviderError | None], ...] = (
    _missing_key, _unknown_model, _refused_access, _quota, _rate_limit, _filtered,
    _too_long, _format, _parameter, _not_there, _unreachable, _server,
)  # fmt: skip


def wait_of(headers: Mapping[str, str], text: str) -> float | None:
    """Return how many seconds a provider asks to wait, None if it doesn't say."""
    if "retry-after-ms" in headers and (milli := _number(headers["retry-after-ms"])) is not None:
        return milli / 1000
    if (asked := headers.get("retry-after")) is not None:
        return _asked(asked)
    for what in ("requests", "tokens"):
        if headers.get(f"x-ratelimit-remaining-{what}") == "0":
            reset = duration(headers.get(f"x-ratelimit-reset-{what}", ""))
            if reset is not None:
                return reset
    found = re.search(
        r"(?:try(?:ing)? again|retry|wait|sleep|retryDelay)[^\d]{0,30}"
        r"((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|seconds?|secs?|s|minutes?|min|m|hours?|h)?\s*)+)",
        text,
        re.I,
    )
    return duration(found[1]) if found else None


def duration(text: str) -> float | None:
    """Return the seconds of "20ms", "1m12.5s", "5 seconds", "39"."""
    scale = {"ms": 0.001, "mi": 60.0, "m": 60.0, "h": 3600.0, "s": 1.0, "": 1.0}
    parts = re.findall(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.lower())
    if not parts:
        return None
    return sum(float(number) * _scale(unit, scale) for number, unit in parts)


def _scale(unit: str, scale: Mapping[str, float]) -> float:
    if unit.startswith("millis"):
        return scale["ms"]
    return scale.get(unit, scale.get(unit[:1], 1.0))


def _asked(header: str) -> float | None:
    """Return the seconds that Retry-After says: a number, a date, or what passes for either."""
    number = _number(header)
    if number is not None and number > EPOCH:
        return max(number - datetime.now(UTC).timestamp(), 0.0)
    if number is None:
        number = _until(header)
    simple = number is None and re.fullmatch(r"[\d.: ]+[a-z, ]*", header, re.I)
    return duration(header) if simple else number


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(number, 0.0) if math.isfinite(number) else None


def _until(date: str) -> float | None:
    try:
        when = _date(date)
    except (TypeError, ValueError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)


def _date(text: str) -> datetime:
    iso = text[:4].isdigit()
    return datetime.fromisoformat(text) if iso else parsedate_to_datetime(text)
