"""What the API refuses, in the order in which it looks: form, model, tools, messages, cache breakpoints.

The rules of a history are `problems`'s; here are the rules of a request around it. Sentences: the API's own, from
`reference/messages_api.md` and public reports. Left out: limits of an account, and what only a server tool could break.
"""

from itertools import pairwise

from learn_compact.messages import problems
from learn_compact.offline import MODEL
from learn_compact.offline.replies import Refusal
from learn_compact.offline.shapes import BLOCK_FIELDS, CACHE_CONTROL, MESSAGE_FIELDS, check_shape

MAX_OUTPUT_TOKENS = 128_000  # the largest max_tokens of the newest models
MAX_BREAKPOINTS = 4

# Newer models have lost these, and the SDK with them.
_SAMPLING = ("temperature", "top_p", "top_k")
# What needs a server that does more than answer; refused by name, so that nobody believes it was done.
_SERVER_SIDE = ("context_management", "compaction", "thread", "container", "mcp_servers", "diagnostics", "fallbacks")


def check_request(request, shape):
    """Raises a Refusal for the first rule that a request of this shape breaks; breakpoints and size come later."""
    if isinstance(request, dict):
        _check_left_out(request)
    check_shape(shape, request)
    if request["model"] != MODEL:
        raise Refusal(404, f"model: {request['model']}")
    _check_output(request)
    _check_tools(request)
    for problem in problems(request["messages"])[:1]:
        raise Refusal(400, str(problem))
    _check_fields(request["messages"])
    if request["messages"][-1]["role"] == "assistant":
        raise Refusal(400, "This model does not support assistant message prefill. "
                           "The conversation must end with a user message.")


def check_breakpoints(prefix):
    """Raises a Refusal for too many cache breakpoints, or for an hour after five minutes; `prefix` as in `cache`."""
    marked = [part for part in prefix if part.ttl]
    if len(marked) > MAX_BREAKPOINTS:
        raise Refusal(400, f"A maximum of {MAX_BREAKPOINTS} blocks with cache_control may be provided. "
                           f"Found {len(marked)}.")
    for before, after in pairwise(marked):
        if (before.ttl, after.ttl) == ("5m", "1h"):
            raise Refusal(400, f"{after.where}.cache_control.ttl: a ttl='1h' cache_control block must not come after a "
                               "ttl='5m' cache_control block. Note that blocks are processed in the following order: "
                               "`tools`, `system`, `messages`.")


def _check_left_out(request):
    for name in _SAMPLING:
        if name in request:
            raise Refusal(400, f"`{name}` is deprecated for this model.")
    for name in _SERVER_SIDE:
        if request.get(name) is not None:
            raise Refusal(400, f"{name}: not offered by the offline API; connect to a live one to use it.")


def _check_output(request):
    limit = request.get("max_tokens", 0)
    if limit > MAX_OUTPUT_TOKENS:
        raise Refusal(400, f"max_tokens: {limit} > {MAX_OUTPUT_TOKENS}, which is the maximum allowed number of output "
                           f"tokens for {MODEL}")
    if limit and (request.get("thinking") or {}).get("budget_tokens", 0) >= limit:
        raise Refusal(400, "`max_tokens` must be greater than `thinking.budget_tokens`.")


def _check_tools(request):
    names, choice = [tool["name"] for tool in request.get("tools", ())], request.get("tool_choice")
    if len(set(names)) < len(names):
        raise Refusal(400, "tools: Tool names must be unique.")
    if choice and not names:
        raise Refusal(400, "tool_choice: tool_choice may only be specified while providing tools.")
    if choice and choice["type"] == "tool" and choice["name"] not in names:
        raise Refusal(400, f"tool_choice: Tool '{choice['name']}' not found in provided tools.")


def _check_fields(messages):
    """Fields that no block of its kind has: a response sent back as it came is the usual way to get one."""
    for i, message in enumerate(messages):
        _refuse_extra(f"messages.{i}", message, MESSAGE_FIELDS)
        content = message["content"]
        for j, block in enumerate(content if isinstance(content, list) else ()):
            _check_block(f"messages.{i}.content.{j}.{block['type']}", block)


def _check_block(where, block):
    _refuse_extra(where, block, BLOCK_FIELDS.get(block["type"], block.keys()))
    if "cache_control" in block:
        check_shape(CACHE_CONTROL, block["cache_control"], f"{where}.cache_control")
    if block["type"] == "tool_result" and isinstance(block.get("content"), list):
        for k, part in enumerate(block["content"]):
            _check_block(f"{where}.content.{k}.{part['type']}", part)


def _refuse_extra(where, fields, known):
    if not fields.keys() <= known:
        extra = next(name for name in fields if name not in known)
        raise Refusal(400, f"{where}.{extra}: Extra inputs are not permitted")
