"""An agent in its plainest form, for tests: a loop around the stand-in, and tools that really read and write."""

import subprocess

from learn_compact.offline.standin import answer

_STRING = {"type": "string"}
_INPUTS = {"bash": ["command"], "read_file": ["path"], "write_file": ["path", "content"],
           "edit_file": ["path", "old_text", "new_text"], "compact": ["focus"], "glob": ["pattern"]}
MAX_TURNS = 120

AUDIT = "Count the functions in every Python file under agents/, skip files named test_*, and report the total"
SMALL = {"agents/a.py": "def a():\n    pass\n", "agents/b.py": "def b():\n    pass\n\n\ndef c():\n    pass\n",
         "agents/c.py": "X = 1\n", "agents/d.py": "class D:\n    x = 1\n",
         "agents/test_a.py": "def test_a():\n    pass\n", "README.md": "# A small project\n"}


def tools(*names):
    """Tool definitions, by name."""
    return [{"name": name, "description": name,
             "input_schema": {"type": "object", "properties": dict.fromkeys(_INPUTS[name], _STRING)}} for name in names]


FIVE = tools("bash", "read_file", "write_file", "edit_file", "compact")


def ask(*messages, tools=FIVE, **request):
    """The stand-in's content for a conversation; a text stands for a message of the user."""
    messages = [{"role": "user", "content": said} if isinstance(said, str) else said for said in messages]
    return answer({"model": "stand-in", "max_tokens": 8_000, "messages": messages, "tools": tools, **request})


def compressed(summary, carried=None):
    """The message that a compaction leaves."""
    texts = [f"[Conversation compressed. Transcript: .transcripts/t.jsonl]\n\n{summary}"]
    texts += [f"Current user request:\n{carried}"] if carried else []
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


def run(prompt, folder, *, messages=(), before=list, tools=FIVE, use=None, **request):
    """(answer, messages, calls): asks, runs the tools in `folder`, asks again, until no tool is called.

    `before(messages)` prepares the messages before every request, as a policy does. Without a prompt the
    conversation just goes on.
    """
    messages, calls = [*messages, *([{"role": "user", "content": prompt}] if prompt else [])], []
    for _ in range(MAX_TURNS):
        messages = before(messages)
        content = ask(*messages, tools=tools, **request)
        wanted = [block for block in content if block["type"] == "tool_use"]
        messages = [*messages, {"role": "assistant", "content": content}]
        if not wanted:
            return content[0]["text"], messages, calls
        calls += wanted
        messages.append({"role": "user", "content": [(use or result)(block, folder) for block in wanted]})
    raise AssertionError(f"no answer after {MAX_TURNS} turns")


def result(block, folder):
    """The tool_result block of a call."""
    try:
        return _result(block, _used(block["name"], block["input"], folder))
    except (OSError, ValueError) as error:
        return {**_result(block, f"Error: {error}"), "is_error": True}


def _result(block, text):
    return {"type": "tool_result", "tool_use_id": block["id"], "content": text}


def _used(name, arguments, folder):
    if name == "bash":
        ran = subprocess.run(arguments["command"], shell=True, cwd=folder, capture_output=True, text=True)
        return ran.stdout + ran.stderr or "(no output)"
    if name == "glob":
        return "\n".join(sorted(path.relative_to(folder).as_posix() for path in folder.glob(arguments["pattern"])))
    if name == "compact":
        return "Manual compression requested."
    path = folder / arguments["path"]
    if name == "read_file":
        return "\n".join(path.read_text(encoding="utf-8").splitlines())
    text = arguments["content"] if name == "write_file" else _edited(path.read_text(encoding="utf-8"), **arguments)
    path.write_text(text, encoding="utf-8", newline="\n")
    return f"Wrote {arguments['path']}"


def _edited(text, path, old_text, new_text):
    if text.count(old_text) != 1:
        raise ValueError(f"old_text stands {text.count(old_text)} times in {path}")
    return text.replace(old_text, new_text)
