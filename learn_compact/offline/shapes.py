"""The fields of a request and their types, as data: what the API checks before it reads a single message.

The API's sentences for wrong shapes are pydantic's, so pydantic speaks them here. A test holds the names of the
fields against the types of the installed SDK. Left out: the shape of messages, which `problems` knows, and server
tools, which need a server.
"""

from typing import Annotated, Any, Literal, Required, TypedDict

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, with_config

from learn_compact.offline.replies import Refusal

_strict = with_config(extra="forbid", strict=True)

# All that a message or a block may hold; one field more, and the API says "Extra inputs are not permitted".
MESSAGE_FIELDS = frozenset({"role", "content"})
BLOCK_FIELDS = {
    "text": {"type", "text", "cache_control", "citations"},
    "image": {"type", "source", "cache_control", "transformations"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": {"type", "id", "name", "input", "cache_control", "caller", "toolset_name"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"},
}


@_strict
class CacheControl(TypedDict, total=False):
    type: Required[Literal["ephemeral"]]
    ttl: Literal["5m", "1h"]


@_strict
class SystemText(TypedDict, total=False):
    type: Required[Literal["text"]]
    text: Required[Annotated[str, Field(min_length=1)]]
    cache_control: CacheControl | None
    citations: list[Any] | None


@_strict
class CustomTool(TypedDict, total=False):
    type: Required[Literal["custom"]]
    name: Required[Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,128}$")]]
    description: str
    input_schema: Required[dict[str, Any]]
    cache_control: CacheControl | None
    strict: bool
    input_examples: list[dict[str, Any]]
    allowed_callers: list[str]
    defer_loading: bool
    eager_input_streaming: bool | None


@with_config(extra="allow", strict=True)
class ClientTool(TypedDict, total=False):
    """A tool that the API defines and the client runs."""

    type: Required[Literal["bash_20250124", "text_editor_20250124", "text_editor_20250429", "text_editor_20250728",
                           "memory_20250818"]]
    name: Required[str]
    cache_control: CacheControl | None


@_strict
class ChoiceAuto(TypedDict, total=False):
    type: Required[Literal["auto"]]
    disable_parallel_tool_use: bool


@_strict
class ChoiceAny(TypedDict, total=False):
    type: Required[Literal["any"]]
    disable_parallel_tool_use: bool


@_strict
class ChoiceTool(TypedDict, total=False):
    type: Required[Literal["tool"]]
    name: Required[str]
    disable_parallel_tool_use: bool


@_strict
class ChoiceNone(TypedDict):
    type: Literal["none"]


@_strict
class ThinkingEnabled(TypedDict, total=False):
    type: Required[Literal["enabled"]]
    budget_tokens: Required[Annotated[int, Field(ge=1_024)]]
    display: Literal["summarized", "omitted"] | None


@_strict
class ThinkingByItself(TypedDict, total=False):
    type: Required[Literal["adaptive", "disabled", "between_tools"]]
    display: Literal["summarized", "omitted"] | None


@_strict
class OutputConfig(TypedDict, total=False):
    """Without `format`: the stand-in model writes no JSON to a schema."""

    effort: Literal["low", "medium", "high", "xhigh", "max"] | None


@_strict
class Metadata(TypedDict, total=False):
    user_id: str | None


def _as_blocks(text):
    """Text is shorthand for one text block; a list is told what is wrong with it."""
    return [] if isinstance(text, str) else text


def _as_custom(tool):
    """A tool without a type is a custom one."""
    return {**tool, "type": tool.get("type") or "custom"} if isinstance(tool, dict) else tool


def _tagged(union):
    return Annotated[union, Field(discriminator="type")]


class Prompt(TypedDict, total=False):
    """What `count_tokens` takes: everything that fills the context."""

    model: Required[str]
    messages: Required[Any]
    system: Annotated[list[SystemText], BeforeValidator(_as_blocks)]
    tools: list[Annotated[_tagged(CustomTool | ClientTool), BeforeValidator(_as_custom)]]
    tool_choice: _tagged(ChoiceAuto | ChoiceAny | ChoiceTool | ChoiceNone)
    thinking: _tagged(ThinkingEnabled | ThinkingByItself)
    cache_control: CacheControl | None
    output_config: OutputConfig
    speed: Literal["standard", "fast"] | None


@_strict
class CountRequest(Prompt, total=False):
    """The body of `POST /v1/messages/count_tokens`."""


@_strict
class CreateRequest(Prompt, total=False):
    """The body of `POST /v1/messages`."""

    max_tokens: Required[Annotated[int, Field(ge=0)]]
    stream: bool
    stop_sequences: list[Annotated[str, Field(min_length=1)]]
    metadata: Metadata
    service_tier: Literal["auto", "standard_only"]
    inference_geo: str | None


CREATE, COUNT, CACHE_CONTROL = map(TypeAdapter, (CreateRequest, CountRequest, CacheControl | None))


def check_shape(shape, value, where=""):
    """Raises a Refusal with the API's sentence for the first thing in `value` that doesn't fit the shape."""
    try:
        shape.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(filter(None, [where, *map(str, first["loc"])]))
        raise Refusal(400, f"{place}: {first['msg']}" if place else first["msg"]) from None
