"""What a model was found to take: learned from its refusals, remembered for the process.

The structured output is asked for in the strictest form that the model takes: a JSON schema with
bounds, one without, any JSON object, plain text. From the third on the schema stands in the prompt.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from pydantic import BaseModel

from graphrag_assets.models.faults import ProviderError
from graphrag_assets.models.transport import OFFLINE, Ask, EmbedAsk
from graphrag_assets.prompts import Message

RUNGS: Final = ("bounded schema", "schema", "object", "plain")
OUTPUT_TOKENS: Final = 4096  # a reply that runs away ends here; raised once where it was too little
LONGEST_OUTPUT: Final = 16384
BOUNDS: Final = frozenset(
    {"maxLength", "minLength", "maxItems", "minItems", "maximum", "minimum", "default"}
)
KNOWN_LETTERS: Final = re.compile(r"(?:openai/|azure/)?gpt-(?:3\.5|4)")  # models of cl100k, o200k
Y_OR_N: Final = {"45": 100, "56": 100}  # the tokens N and Y of both vocabularies
SAFETY: Final = 0.9  # their tokenizer counts more than ours


@dataclass(frozen=True)
class Draft:
    """One request as we would like it: what the memo knows it by."""

    task: str
    prompt: str
    messages: tuple[Message, ...]
    schema: type[BaseModel] | None
    parameters: Mapping[str, Any]


def wanted(model: str, prompt: str) -> dict[str, Any]:
    """Return the parameters that we ask for: part of what makes a reply."""
    if prompt == "check_extraction" and KNOWN_LETTERS.match(model):
        return {"temperature": 0, "max_tokens": 1, "logit_bias": Y_OR_N}
    return {"temperature": 0, "max_tokens": OUTPUT_TOKENS}


@dataclass
class Dialect:
    """What one model takes."""

    model: str
    api_base: str
    rung: int = 0
    proven: bool = False  # an answer came back on this rung
    dropped: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    output_tokens: int = OUTPUT_TOKENS
    most_output: int = LONGEST_OUTPUT
    context_tokens: int | None = None
    batch: int = 32
    dimension: int | None = None  # of vectors

    def shape(self, draft: Draft, timeout: float) -> Ask:
        """Return a draft as this model takes it."""
        parameters = self._parameters(draft.parameters)
        messages = draft.messages
        if self.context_tokens:
            messages = shortened(messages, self.context_tokens)
        if draft.schema is not None:
            parameters |= self._response_format(draft.schema)
            if RUNGS[self.rung] in {"object", "plain"}:
                messages = _with_schema(messages, draft.schema)
        return Ask(
            model=self.model,
            api_base=self.api_base,
            task=draft.task,
            prompt=draft.prompt,
            messages=messages,
            parameters=parameters,
            timeout=timeout,
            rung=self.rung,
        )

    def shape_embedding(self, texts: tuple[str, ...], timeout: float) -> EmbedAsk:
        """Return a batch of texts as this model takes it."""
        compact = {} if self.model.startswith(OFFLINE) else {"encoding_format": "base64"}
        parameters = self._parameters(compact)
        return EmbedAsk(self.model, self.api_base, texts, parameters, timeout)

    def _parameters(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        taken = {
            self.renamed.get(name, name): value
            for name, value in asked.items()
            if name not in self.dropped
        }
        for name in ("max_tokens", "max_completion_tokens"):
            if taken.get(name) == OUTPUT_TOKENS:
                taken[name] = self.output_tokens
        return taken | self.extra

    def _response_format(self, schema: type[BaseModel]) -> dict[str, Any]:
        rung = RUNGS[self.rung]
        if rung == "plain":
            return {}
        if rung == "object":
            return {"response_format": {"type": "json_object"}}
        body = json_schema(schema, bounded=rung == "bounded schema")
        named = {"name": schema.__name__, "strict": True, "schema": body}
        return {"response_format": {"type": "json_schema", "json_schema": named}}

    def worked(self, ask: Ask | EmbedAsk) -> None:
        """Note that the form of the answer that a request asked for is taken."""
        if isinstance(ask, EmbedAsk) or ask.rung == self.rung:
            self.proven = True

    def learn(self, fault: ProviderError, ask: Ask | EmbedAsk) -> bool:
        """Adapt to a refusal; False if there is nothing (more) to learn from it."""
        lessons = {
            "key": self._learn_key,
            "parameter": self._learn_parameter,
            "format": self._learn_format,
            "output": self._learn_output,
            "context": self._learn_context,
            "bad": self._learn_nothing_said,
        }
        lesson = lessons.get(fault.kind)
        return lesson(fault, ask) if lesson else False

    def _learn_key(self, _: ProviderError, ask: Ask | EmbedAsk) -> bool:
        """An endpoint of one's own rarely asks for a key, but the library insists on one."""
        if not self.api_base or "api_key" in ask.parameters:
            return False
        self.extra["api_key"] = "none"
        return True

    def _learn_parameter(self, fault: ProviderError, ask: Ask | EmbedAsk) -> bool:
        name = fault.parameter
        if name == "response_format":
            return self._learn_format(fault, ask)
        if name not in ask.parameters:
            return False
        original = next((ours for ours, theirs in self.renamed.items() if theirs == name), name)
        instead = re.search(r"[Uu]se '?(max_completion_tokens|max_tokens)'? instead", fault.reason)
        if instead and name == original:
            self.renamed[original] = instead[1]
        else:
            self.dropped.add(original)
        return True

    def _learn_format(self, fault: ProviderError, ask: Ask | EmbedAsk) -> bool:
        if "response_format" not in ask.parameters:
            return False
        return self._step_down(ask, 1 if fault.parameter == "bounds" else 2)

    def _step_down(self, ask: Ask | EmbedAsk, steps: int) -> bool:
        """Take a simpler form, unless a call beside this one has just done so."""
        if isinstance(ask, Ask) and ask.rung == self.rung:
            self.rung = min(self.rung + (1 if self.rung else steps), len(RUNGS) - 1)
            self.proven = False
        return True

    def _learn_output(self, fault: ProviderError, ask: Ask | EmbedAsk) -> bool:
        sent = ask.parameters.get("max_tokens") or ask.parameters.get("max_completion_tokens")
        if sent is None:
            return False
        if fault.limit and fault.limit < sent:
            self.output_tokens = self.most_output = min(fault.limit, self.output_tokens)
        else:
            self.dropped.add("max_tokens")
        return True

    def _learn_context(self, fault: ProviderError, ask: Ask | EmbedAsk) -> bool:
        """Leave room for the answer, then shorten the prompt to what fits, less a tenth."""
        if not isinstance(ask, Ask):
            return False
        tokens = count_tokens(ask.messages)
        limit = fault.limit or int(tokens * 0.7)
        room = int((limit - tokens) * SAFETY)
        if limit // 4 <= room < self.output_tokens:  # the prompt fits: its answer doesn't
            self.output_tokens = self.most_output = room
            return True
        self.output_tokens = self.most_output = min(self.output_tokens, max(limit // 4, 1))
        allowed = int(min(limit - self.output_tokens, tokens) * SAFETY)
        self.context_tokens = min(allowed, self.context_tokens or allowed)
        return shortened(ask.messages, self.context_tokens) != ask.messages

    def _learn_nothing_said(self, _: ProviderError, ask: Ask | EmbedAsk) -> bool:
        """A refusal without a reason, before anything worked: ask for less."""
        if self.proven:
            return False
        if "response_format" in ask.parameters and self.rung < len(RUNGS) - 1:
            return self._step_down(ask, 1)
        droppable = [name for name in ask.parameters if name not in {"response_format", "api_key"}]
        self.dropped.update(droppable)
        return bool(droppable)

    def longer(self, draft: Draft, completion_tokens: int) -> bool:
        """Allow longer answers if it was our own limit that cut one; remembered."""
        asked = draft.parameters.get("max_tokens")
        ours = asked == OUTPUT_TOKENS and "max_tokens" not in self.dropped
        if not ours or completion_tokens < self.output_tokens * SAFETY:
            return False
        if self.output_tokens >= self.most_output:
            return False
        self.output_tokens = min(self.output_tokens * 4, self.most_output)
        return True


@cache
def json_schema(schema: type[BaseModel], *, bounded: bool) -> dict[str, Any]:
    """Return a reply's JSON schema as strict providers want it: all required, nothing else."""
    strict = _strict(schema.model_json_schema(), bounded=bounded)
    return dict(strict)


def _strict(node: Any, *, bounded: bool) -> Any:  # noqa: ANN401
    if isinstance(node, list):
        return [_strict(item, bounded=bounded) for item in node]
    if not isinstance(node, dict):
        return node
    unwanted = {"default", "title"} if bounded else BOUNDS | {"title"}
    result: dict[str, Any] = {}
    for key, value in node.items():
        if key in {"properties", "$defs"}:
            result[key] = {name: _strict(item, bounded=bounded) for name, item in value.items()}
        elif key not in unwanted:
            result[key] = _strict(value, bounded=bounded)
    if "properties" in result:
        result |= {"required": list(result["properties"]), "additionalProperties": False}
    return result


def _with_schema(messages: tuple[Message, ...], schema: type[BaseModel]) -> tuple[Message, ...]:
    """Add the schema to the last message, for models that take none as a parameter."""
    body = json.dumps(json_schema(schema, bounded=True), ensure_ascii=False)
    last = messages[-1]
    words = f"{last.content}\n\nAnswer with one JSON object that fits this JSON schema:\n{body}"
    return (*messages[:-1], replace(last, content=words))


def shortened(messages: tuple[Message, ...], tokens: int) -> tuple[Message, ...]:
    """Return messages whose <context> block lost its last lines, until all fit.

    What stands last in a context matters least. Nothing but a context is ever shortened.
    """
    excess = count_tokens(messages) - tokens
    for position, message in enumerate(messages):
        start, end = message.content.find("<context>"), message.content.rfind("</context>")
        if excess <= 0 or start < 0 or end < start:
            continue
        block = message.content[start:end]
        kept = _first_lines(block, estimate_tokens(block) - excess)
        content = f"{message.content[:start]}{kept}\n{message.content[end:]}"
        return (*messages[:position], replace(message, content=content), *messages[position + 1 :])
    return messages


def _first_lines(block: str, tokens: int) -> str:
    lines: list[str] = []
    total = 0
    for line in block.splitlines():
        total += estimate_tokens(line) + 1
        if lines and total > tokens:
            break
        lines.append(line)
    return "\n".join(lines)


def count_tokens(messages: tuple[Message, ...]) -> int:
    """Guess a conversation's tokens."""
    return sum(estimate_tokens(message.content) + 4 for message in messages)


def estimate_tokens(text: str) -> int:
    """Guess a text's tokens without a vocabulary: a token is 4 Latin or 1.4 other characters."""
    if text.isascii():
        return -(-len(text) // 4)
    latin = len(text.encode("ascii", "ignore"))
    return -(-latin // 4) + int((len(text) - latin) / 1.4) + 1
