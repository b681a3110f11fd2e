"""A conversation, compacted by a policy, as a request that a program can go on with."""

from pathlib import Path

from learn_compact.archive import RESULTS, TRANSCRIPTS, Archive
from learn_compact.conversations import Conversation, save
from learn_compact.offline import MODEL, OfflineAPI, client_of
from learn_compact.pipeline import claude_code
from learn_compact.profile.replayed import POLICIES
from learn_compact.profile.tables import number
from learn_compact.summaries import ModelSummarizer, nine_sections, three_points
from learn_compact.tokens import estimate_by_kind


def export(conversation, policy, path):
    """Write the last stretch of a conversation, as a policy of POLICIES leaves it, to `path`; says so in sentences.

    The messages are those that a model would read next. Where the policy asks for a summary, the stand-in model makes
    it from the text, in this process. What the policy moves to disk lies beside the file, where the messages name it.
    Raises what the policy and `save` raise; the conversation that was given stays as it was.

    >>> from tempfile import TemporaryDirectory
    >>> from learn_compact import load_outline
    >>> with TemporaryDirectory() as folder:
    ...     said = export(load_outline("sniffly-d3ad4cdc"), "s06", f"{folder}/next.json")
    >>> said.partition(": ")[2].partition(".")[0]
    'the last stretch, 125 messages as s06 left it, 47,435 tokens of 82,347 by our estimate'
    """
    path, messages = Path(path).expanduser(), conversation.segments[-1].conversation()
    api, build = OfflineAPI(), POLICIES[policy]
    prompt = nine_sections if build is claude_code else three_points
    made = build(ModelSummarizer(client_of(api), MODEL, prompt), Archive(path.parent))
    compacted = made.view(made.prepare(messages))
    is_loaded = isinstance(conversation, Conversation)
    save(conversation if is_loaded else compacted, path, compacted)
    before, after = estimate_by_kind(messages), estimate_by_kind(compacted)
    said = [f"{path} is written: the last stretch, {number(len(compacted), 'message')} as {policy} left it, "
            f"{after:,} tokens of {before:,} by our estimate."]
    if after < before:
        said.append("What was taken out is in the file that was read; a path that a message names, under "
                    f"{TRANSCRIPTS} or {RESULTS}, lies beside the new one.")
    if api.calls:
        said.append("The summary in it is an extract, by the stand-in model.")
    if not (is_loaded and conversation.system):
        said.append("The file that was read holds no system prompt: add yours, and your tools.")
    said.append("To go on: add the user's next message to its `messages`, and call `client.messages.create(**request, "
                "max_tokens=...)`; for another model, or offline, first `request[\"model\"] = model_for(client)`.")
    return " ".join(said)
