"""What doesn't fit at the doors of the five layers is named in a sentence, before anything is done."""

import pytest
from talk import assistant, user

from learn_compact.agent import Agent
from learn_compact.archive import Archive
from learn_compact.errors import LearnCompactError, MessageError, PolicyError, SummaryError
from learn_compact.layers.age import Ages, micro_by_age
from learn_compact.layers.collapse import collapse
from learn_compact.layers.full import full_compact
from learn_compact.pipeline import Guard, Pipeline, auto_compact_threshold, claude_code
from learn_compact.restore import MemoryFile, Restoration, SystemPrompt, restored_files

TALK = [user("Count."), assistant("The lines. " * 90), user("And now?"), assistant("Done.")]


def spans(*given):
    return lambda folder: collapse(TALK, *given)


def compacts(folder, **given):
    return full_compact(TALK, **{"summarize": lambda messages, focus: "Half.", "archive": Archive(folder), **given})


def summarises(messages, focus=""):
    return "Half."


@pytest.mark.parametrize(("call", "sentence"), [
    (spans(None), "spans must be a list, not None"),
    (spans({"start": 1, "end": 2, "summary": ""}), "spans must be a list, not {"),
    (spans([(1, 2, "")]), r"A span must be {.*}, not \(1, 2, ''\)"),
    (spans([{"start": 1, "end": 2}]), "A span must be {.*}, not {"),
    (spans([{"start": "1", "end": 2, "summary": ""}]), "A span must be {.*}, not {"),
    (lambda folder: micro_by_age(TALK, age_of=7), r"age_of must be .* Ages\(clock\), not 7"),
    (lambda folder: micro_by_age(TALK, age_of=len, max_age="1h"), "max_age must be seconds, 0 or more, not '1h'"),
    (lambda folder: micro_by_age(TALK, age_of=len, max_age=-1), "max_age must be seconds, 0 or more, not -1"),
    (lambda folder: Ages(7), "clock must be a function .* not 7"),
    (lambda folder: auto_compact_threshold("200k"), "effective_window must be a number of tokens, not '200k'"),
    (lambda folder: compacts(folder, summarize=None), "summarize must be a function, .* not None"),
    (lambda folder: compacts(folder, archive=folder), r"archive must be an Archive\(folder\), not "),
    (lambda folder: compacts(folder, restoration="files"), "restoration must be a Restoration, not 'files'"),
    (lambda folder: compacts(folder, trigger="by hand\n"), 'trigger must be a word, such as "auto"'),
    (lambda folder: Restoration(folder), r"workspace must be .* Workspace\(folder\), not "),
    (lambda folder: Restoration(plan=["Count"]), r"plan must be a function, .* not \['Count'\]"),
    (lambda folder: Restoration(tasks=[]), r"tasks must be a function, .* not \[\]"),
    (lambda folder: Restoration(before=len), "before must be a list of functions, not <built-in"),
    (lambda folder: Restoration(after=["Run the tests."]), "after must be a list of functions, not "),
    (lambda folder: Restoration(caches=[len]), r"caches must be a list of things with clear\(\), not "),
    (lambda folder: Restoration(max_files=-1), "max_files must be a number, 0 or more, not -1"),
    (lambda folder: restored_files(["a.py"], Restoration()), "reads must be what recent_files gives"),
    (lambda folder: restored_files({}, folder), "workspace must be"),
    (lambda folder: MemoryFile(folder), "workspace must be"),
    (lambda folder: SystemPrompt("You code."), "build must be a function .* not 'You code.'"),
    (lambda folder: SystemPrompt(str, "CLAUDE.md"), "memory must be a MemoryFile, not 'CLAUDE.md'"),
    (lambda folder: Guard(max_failures=0), "max_failures must be a number, 1 or more, not 0"),
    (lambda folder: Guard(max_idle="2"), "max_idle must be a number, 1 or more, not '2'"),
    (lambda folder: Guard(min_saved=5), "min_saved must be a share, 0 to 1, not 5"),
    (lambda folder: claude_code(summarises, Archive(folder), collapse_share="half"), "collapse_share must be a share"),
    (lambda folder: claude_code(summarises, Archive(folder), max_messages=90), "snip_to must be no more than .* 90"),
    (lambda folder: claude_code(summarises, Archive(folder), clock=7), "clock must be a function .* not 7"),
    (lambda folder: claude_code(summarises, Archive(folder), ages=7), r"ages must be an Ages\(clock\), not 7"),
    (lambda folder: claude_code(None, Archive(folder)).compact(TALK), "give it one with a `summarize`"),
    (lambda folder: Agent(None, "a-model", folder, Pipeline([])), r"client must be .* connect\(\) gives, not None"),
    (lambda folder: Agent(Restoration(), "a-model", folder, Pipeline([])), "client must be"),
])
def test_what_does_not_fit_is_named_in_a_sentence(tmp_path, call, sentence):
    with pytest.raises(PolicyError, match=sentence):
        call(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_policy_that_was_not_called_is_no_policy(tmp_path):
    with pytest.raises(PolicyError, match="policy must be a policy, .*, not <function claude_code"):
        Agent(Talker(), "a-model", tmp_path, claude_code)


class Talker:
    messages = None


@pytest.mark.parametrize("text", ["", " \n", None, 7])
def test_only_words_can_be_asked(tmp_path, text):
    agent = Agent(Talker(), "a-model", tmp_path, Pipeline([]), approve=lambda *_: True)
    with pytest.raises(MessageError, match="is blank, or no text"):
        agent.ask(text)
    assert agent.messages == [] and issubclass(MessageError, LearnCompactError)


def test_what_summarize_gives_back_is_looked_at(tmp_path):
    with pytest.raises(SummaryError, match="gave back list"):
        compacts(tmp_path, summarize=lambda messages, focus: ["Half."])
