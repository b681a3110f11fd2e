"""Asking a model for a summary, and refusing by name what can't be one.

A summary replaces everything that was said, so what is empty, cut off, refused, a call of a tool, or without the
sections that were asked for raises, and the history stays. Left out: whether a good-looking summary is true.
"""

from learn_compact.errors import SummaryError, demand
from learn_compact.summaries.checking import check_summary
from learn_compact.summaries.parse import OPTIONAL, Summary, parse_summary
from learn_compact.summaries.prompts import TEXT_ONLY, three_points
from learn_compact.summaries.writing import SUMMARY_MAX_CHARS, whole_messages

SUMMARY_MAX_TOKENS = 2_000        # s06
NINE_SECTIONS_MAX_TOKENS = 8_000  # nine sections, and an analysis in front of them


class ModelSummarizer:
    """A summary by a model: `summarizer(messages, focus="")` asks `client` for one and gives back its text.

    The request is one user message, `prompt(focus)` and then the conversation as text, so no call in it can be without
    its result. `as_text(messages, max_chars)` makes that text (`whole_messages`; s06 uses `last_chars`). The answer may
    have `max_tokens` tokens (by default 2,000, or 8,000 for nine sections). Where the prompt wants a `<summary>`, as
    `nine_sections` does, the answer is read by `parse_summary` and comes back as a `Summary`; `ask_again` then asks
    once more where `check_summary` finds something missing, and takes the better of the two. `strict=False` takes
    whatever comes back, as s06 does.
    Raises SummaryError where the answer is empty, cut off, refused, a tool call or lacks a section (other than the
    optional one), and where the API gives none.
    """

    shares_prefix = False  # whether what the prompt cache holds of the conversation is read: see `PrefixSummarizer`

    def __init__(self, client, model, prompt=three_points, *, max_tokens=None, max_chars=SUMMARY_MAX_CHARS,
                 as_text=whole_messages, strict=True, ask_again=False):
        demand(hasattr(getattr(client, "messages", None), "create"), "client", "a client such as connect() gives",
               client)
        demand(callable(prompt), "prompt", "a function of the focus, such as nine_sections", prompt)
        self.client, self.model, self.prompt = client, model, prompt
        self.wants_sections = "<summary>" in prompt("")
        self.max_tokens = max_tokens or (NINE_SECTIONS_MAX_TOKENS if self.wants_sections else SUMMARY_MAX_TOKENS)
        self.max_chars, self.as_text, self.strict, self.ask_again = max_chars, as_text, strict, ask_again

    def __call__(self, messages, focus=""):
        prompt = self.prompt(focus)
        if not self.wants_sections:
            return self._read(self._asked(messages, prompt))
        summary = self._read(self._asked(messages, prompt, TEXT_ONLY))
        if not self.ask_again or not (missing := check_summary(summary, messages).missing):
            return summary
        lacks = "\n".join(f"- {kind}: {' '.join(what.split())}" for kind, what in missing)
        second = self._read(self._asked(messages, prompt, f"{TEXT_ONLY}\nAn earlier summary lacked the following; this "
                                                          f"one must have it:\n{lacks}"))
        return min(summary, second, key=lambda one: len(check_summary(one, messages).missing))

    def _asked(self, messages, prompt, *last):
        """The response to a request for a summary of the messages; `last` is said behind them."""
        text = "\n\n".join([prompt, self.as_text(messages, self.max_chars), *last])
        return self._sent(model=self.model, max_tokens=self.max_tokens, messages=[{"role": "user", "content": text}])

    def _sent(self, **request):
        from anthropic import APIError  # late, because it takes a second or two

        try:
            return self.client.messages.create(**request)
        except APIError as error:
            raise _refused(f"the API gave no answer: {error}") from error

    def _read(self, response):
        if not self.strict:
            return _text(response)
        text = read_summary(response)
        return _complete(parse_summary(text)) if self.wants_sections else text


def read_summary(response):
    """The text of a response that was asked for a summary; SummaryError where it can't be one, with the cause."""
    asked_for = [block.name for block in response.content if block.type == "tool_use"]
    if asked_for or response.stop_reason == "tool_use":
        raise _refused(f"the model called {', '.join(asked_for) or 'a tool'} where text was asked for")
    if response.stop_reason not in ("end_turn", "stop_sequence"):
        cause = _CAUSES.get(response.stop_reason, f"the model stopped with {response.stop_reason!r}")
        raise _refused(cause.format(response=response))
    if not _text(response).strip():
        raise _refused("the answer is empty")
    return _text(response)


_CAUSES = {
    "max_tokens": "it was cut off at max_tokens, after {response.usage.output_tokens} tokens; allow more",
    "model_context_window_exceeded": "it was cut off where the context window ended; give the summary less to read",
    "refusal": "the model refused to write it",
}


def usable(summary, refuse_empty=True):
    """What a `summarize` gave back, where it is text or a `Summary`, and not blank; else SummaryError."""
    if not isinstance(summary, str | Summary | None):
        raise _refused(f"`summarize` gave back {type(summary).__name__}; it must give text or a Summary")
    if refuse_empty and not str(summary or "").strip():
        raise SummaryError("The summary is empty; the conversation stays as it was. Ask again, or ask another model.")
    return summary or ""


def _complete(summary):
    lacking = [title for title in summary.missing if title not in OPTIONAL]
    if lacking:
        raise _refused(f"it lacks {', '.join(lacking)}")
    return summary


def _refused(cause):
    return SummaryError(f"No summary: {cause}. The conversation stays as it was.")


def _text(response):
    return "".join(block.text for block in response.content if block.type == "text")
