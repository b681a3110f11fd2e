"""An agent in its plainest form, for tests: a loop around the stand-in, with tools that really read and write."""

import subprocess

from learn_compact.offline.standin import answer

_STRING = {"type": "string"}
TOOLS = [{"name": name, "description": name, "input_schema": {"type": "object", "properties": dict.fromkeys(keys, _STRING)}}
         for name, keys in (("bash", ["command"]), ("read_file", ["path"]), ("write_file", ["path", "content"]),
                            ("edit_file", ["path", "old_text", "new_text"]), ("compact", ["focus"]))]


def run(prompt, folder, *, messages=None, before=lambda messages: messages, tools=TOOLS, max_turns=150):
    """(final text, messages, calls made): asks, runs the tools in `folder`, and asks again until no tool is called."""
    messages, calls = [*(messages or []), {"role": "user", "content": prompt}], []
    for _ in range(max_turns):
        messages = before(messages)
        content = answer({"model": "stand-in", "max_tokens": 8_000, "messages": messages, "tools": tools})
        messages = [*messages, {"role": "assistant", "content": content}]
        wanted = [block for block in content if block["type"] == "tool_use"]
        if not wanted:
            return content[0]["text"], messages, calls
        calls += wanted
        messages.append({"role": "user", "content": [use(block, folder) for block in wanted]})
    raise AssertionError(f"no answer after {max_turns} turns")


def use(block, folder):
    """The tool_result block of a call."""
    try:
        return {"type": "tool_result", "tool_use_id": block["id"], "content": _used(block["name"], block["input"], folder)}
    except (OSError, ValueError) as error:
        return {"type": "tool_result", "tool_use_id": block["id"], "is_error": True, "content": f"Error: {error}"}


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
    text = path.read_text(encoding="utf-8") if name == "edit_file" else ""
    if name == "edit_file" and text.count(arguments["old_text"]) != 1:
        raise ValueError(f"old_text stands {text.count(arguments['old_text'])} times in {arguments['path']}")
    text = text.replace(arguments["old_text"], arguments["new_text"]) if name == "edit_file" else arguments["content"]
    path.write_text(text, encoding="utf-8", newline="\n")
    return f"Wrote {arguments['path']}"
