"""A summary that is asked for behind the conversation itself, so that what is cached of it is read and not paid again.

A prompt cache knows a beginning: the same model, tools, system prompt, thinking and messages. So nothing of these may
change, not even to forbid the tools (`tool_choice` is part of it); the prompt forbids them, and a call is refused when
it comes. Left out: to see to it that the conversation's own requests are cached (`Agent(cache=True)`).
"""

from learn_compact.errors import SummaryError, demand
from learn_compact.messages import blocks
from learn_compact.rules import problems
from learn_compact.summaries.asking import ModelSummarizer
from learn_compact.summaries.prompts import TEXT_ONLY, nine_sections

NOT_RUN = "Not run: the conversation is summarised first."


class PrefixSummarizer(ModelSummarizer):
    """A `ModelSummarizer` that sends the conversation as it is and the prompt behind it, as Claude Code does.

    `request` is what the conversation's own requests say besides their messages: a dict with `model`, `system` and
    `tools`, and with `thinking` and `cache_control` where they have them; or a callable that gives it, such as
    `lambda: agent.request`. Calls that nothing has answered are answered as not run. Where the conversation doesn't fit
    into the window any more, or breaks a rule of the API, it is sent as text, as `ModelSummarizer` does, and `why_text`
    says why; it is None where the newest summary was asked for behind the conversation. The rest is as there.

    Source: Claude Code, whose summaries come from the conversation's own model, for quality and for the prompt cache.

    >>> from learn_compact.offline import MODEL, OfflineAPI, api_of, client_of
    >>> client, messages = client_of(OfflineAPI()), [{"role": "user", "content": "Count the lines. " * 500}]
    >>> request = {"model": MODEL, "system": "You code.", "cache_control": {"type": "ephemeral"}}
    >>> client.messages.create(messages=messages, max_tokens=100, **request).usage.cache_creation_input_tokens
    2028
    >>> summary = PrefixSummarizer(client, request)(messages)
    >>> api_of(client).calls[-1].usage["cache_read_input_tokens"]
    2028
    """

    shares_prefix = True

    def __init__(self, client, request, prompt=nine_sections, **options):
        super().__init__(client, None, prompt, **options)
        self.request = request if callable(request) else lambda: request
        self.why_text = None

    def _asked(self, messages, prompt, last=TEXT_ONLY):
        request = self.request()
        demand(isinstance(request, dict) and "model" in request, "request",
               "what the conversation's own requests say: model, system, tools", request)
        self.model = request["model"]
        response, self.why_text = self._behind(request, [*messages, _question(messages, f"{prompt}\n\n{last}")])
        return response or super()._asked(messages, prompt, last)

    def _behind(self, request, messages):
        """The response to the messages, or None and the reason why they can't be sent as they are."""
        if broken := problems(messages):
            return None, str(broken[0])
        thinking = (request.get("thinking") or {}).get("budget_tokens", 0)  # the API takes it for a part of the answer
        try:
            response = self._sent(**{**request, "messages": messages, "max_tokens": self.max_tokens + thinking})
        except SummaryError as error:
            if not _is_too_long(error.__cause__):
                raise
            return None, str(error.__cause__)
        if response.stop_reason == "model_context_window_exceeded":
            return None, "the window had no room for the answer"
        return response, None


def _question(messages, text):
    """What follows the messages: their last calls answered, so that the API takes them, and the text."""
    open_calls = [block.get("id") for message in messages[-1:] for block in blocks(message)
                  if block.get("type") == "tool_use"]
    answers = [{"type": "tool_result", "tool_use_id": id_, "content": NOT_RUN, "is_error": True} for id_ in open_calls]
    return {"role": "user", "content": [*answers, {"type": "text", "text": text}]}


def _is_too_long(error):
    return getattr(error, "status_code", None) == 413 or "prompt is too long" in str(error)
