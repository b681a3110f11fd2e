"""Every shipped conversation at twenty budgets: nothing that the API would refuse, the newest request in each output.

The real ones behind `../shared` too, where they are.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from talk import sizes

from learn_compact.archive import Archive
from learn_compact.conversations import load
from learn_compact.data import load_outline, outline_names
from learn_compact.layers.auto import compact_history, reactive_compact
from learn_compact.layers.budget import tool_result_budget
from learn_compact.layers.micro import micro_compact
from learn_compact.layers.snip import snip_compact
from learn_compact.messages import newest_request, problems, unseen_results
from learn_compact.pipeline import s08
from learn_compact.tokens import estimate_chars

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

CONVERSATIONS = {f"{name}, part {part}": segment for name in outline_names()
                 for part, segment in enumerate(load_outline(name).segments, 1)}
REAL = {path.stem: path for path in sorted(Path(__file__).parents[2].joinpath("shared/conversations").glob("*.jsonl"))}
BUDGETS = [share / 20 for share in range(1, 21)]  # of what the whole conversation has


def summarize(messages, focus=""):
    return "Half of the files are counted. " * 10


# What a share of the conversation means to each layer, and to the pipeline.
LAYERS = {
    "tool_result_budget": lambda messages, share, archive: tool_result_budget(
        messages, archive=archive, max_chars=int(30_000 * share)),
    "snip_compact": lambda messages, share, archive: snip_compact(
        messages, archive=archive, max_messages=0, keep_last=int(len(messages) * share)),
    "micro_compact": lambda messages, share, archive: micro_compact(
        messages, archive=archive, keep_recent=int(len(messages) * share / 2)),
    "compact_history": lambda messages, share, archive: compact_history(
        messages, summarize=lambda *_, **__: "word " * int(estimate_chars(messages) * share / 5), archive=archive),
    "reactive_compact": lambda messages, share, archive: reactive_compact(
        messages, summarize=summarize, archive=archive, keep_messages=int(len(messages) * share)),
    "s08": lambda messages, share, archive: s08(
        summarize, archive, char_limit=int(estimate_chars(messages) * share)).prepare(messages),
    "s08 with its cures": lambda messages, share, archive: s08(
        summarize, archive, char_limit=int(estimate_chars(messages) * share), snip_to=30, micro_to=0.8,
        max_batch_chars=200_000).prepare(messages),
}


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_at_no_budget_anything_is_broken_or_lost(conversation, layer):
    check_all_budgets(CONVERSATIONS[conversation].conversation(), layer)


@pytest.mark.skipif(not REAL, reason="the real conversations (../shared/conversations) are not here")
@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("conversation", REAL)
def test_nor_in_the_words_that_were_really_said(conversation, layer):
    check_all_budgets(load(REAL[conversation]).messages, layer)


def check_all_budgets(messages, layer):
    request, unseen = newest_request(messages), len(unseen_results(messages))
    with TemporaryDirectory() as folder:
        archive = Archive(Path(folder))
        for share in BUDGETS:
            after = LAYERS[layer](messages, share, archive)
            assert not problems(after)
            assert newest_request(after, archive) == request
            assert len(unseen_results(after)) == unseen
            assert after is messages or all(new < old for new, old in zip(sizes(after), sizes(messages), strict=True))


@pytest.mark.parametrize("share", BUDGETS[::4])
@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_nor_before_any_request_while_it_grows(conversation, share):
    messages = CONVERSATIONS[conversation].conversation()
    with TemporaryDirectory() as folder:
        archive, context = Archive(Path(folder)), []
        pipeline = s08(summarize, archive, char_limit=int(estimate_chars(messages) * share), max_messages=20,
                       keep_last=17)
        for message in messages:
            if message["role"] == "assistant":
                before, context = context, list(pipeline.prepare(context))
                assert not problems(context)
                assert newest_request(context, archive) == newest_request(before, archive)
            context.append(message)
