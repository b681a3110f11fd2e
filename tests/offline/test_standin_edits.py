"""The stand-in's edits: each place once, in files that are really there, and twice only where it could not know."""

import pytest
from plain_loop import SMALL, result, run, tools

from learn_compact.offline.project import write_files


@pytest.fixture
def small(tmp_path):
    return write_files(SMALL, tmp_path)


def test_edits_are_made_once_and_not_again(small):
    prompt = 'Add the line "# Licence: MIT" to the top of every Python file under agents once, skip test_*'
    (small / "agents/e.py").write_text("#!/usr/bin/env python\nx = 1\n", encoding="utf-8")
    (small / "agents/empty.py").write_text("", encoding="utf-8")
    _, messages, _ = run(prompt, small)
    after = {path.name: path.read_text(encoding="utf-8") for path in small.glob("agents/*.py")}
    assert after["a.py"] == "# Licence: MIT\n" + SMALL["agents/a.py"]
    assert after["test_a.py"] == SMALL["agents/test_a.py"]
    assert after["e.py"] == "#!/usr/bin/env python\n# Licence: MIT\nx = 1\n" and after["empty.py"] == "# Licence: MIT\n"
    text, _, calls = run(prompt, small)  # nothing remembered: it looks, and finds the line there
    assert after == {path.name: path.read_text(encoding="utf-8") for path in small.glob("agents/*.py")}
    assert {call["name"] for call in calls} == {"bash", "read_file"}
    _, _, calls = run(prompt, small, messages=messages)
    assert calls == []  # noted: not even looked at


@pytest.mark.parametrize("text", [
    "cat\n\nx = cat\nx = cat\n\nx = cat\nconcat = cat\n\ncat\n", "x = cat\n\ny = 1\nx = cat\n", "cat cat\n" * 3, "cat",
], ids=repr)
def test_a_word_is_replaced_whole_in_every_place_even_where_lines_are_alike(small, text):
    (small / "agents/c.py").write_text(text, encoding="utf-8")
    _, messages, _ = run('Replace the word "cat" with "big cat" in every Python file under agents', small)
    after = (small / "agents/c.py").read_text(encoding="utf-8")
    assert after == text.replace("cat", "big cat").replace("conbig cat", "concat")
    assert "Error" not in str(messages)


def test_without_parallel_calls_every_place_of_a_file_is_changed_all_the_same(small):
    (small / "agents/c.py").write_text("one = cat\n\n\ntwo = cat\n", encoding="utf-8")
    _, messages, _ = run("Replace the word 'cat' with 'big cat' in every Python file under agents", small,
                         tool_choice={"type": "auto", "disable_parallel_tool_use": True})
    assert (small / "agents/c.py").read_text(encoding="utf-8") == "one = big cat\n\n\ntwo = big cat\n"
    assert max(str(message["content"]).count("'tool_use',") for message in messages) == 1


def test_a_change_that_fails_in_part_is_looked_at_again_and_finished(small):
    failed = []

    def failing_once(block, folder):
        if block["name"] == "edit_file" and len(failed) < 1 and "one" in block["input"]["old_text"]:
            failed.append(block)
            return {"type": "tool_result", "tool_use_id": block["id"], "is_error": True, "content": "Error: busy"}
        return result(block, folder)

    (small / "agents/c.py").write_text("one = cat\n\n\ntwo = cat\n", encoding="utf-8")
    run("Replace the word 'cat' with 'dog' in every Python file under agents", small, use=failing_once)
    assert failed and (small / "agents/c.py").read_text(encoding="utf-8") == "one = dog\n\n\ntwo = dog\n"


def test_what_was_counted_before_a_change_is_counted_again_after_it(small):
    count = "Count the lines in every Python file under agents"
    first, messages, _ = run(count, small)
    _, messages, _ = run('Put "# x" on top of every .py file under agents', small, messages=messages)
    second, _, _ = run(count, small, messages=messages)
    assert ("Total: 13 lines in 5 files" in first, "Total: 18 lines in 5 files" in second) == (True, True)


def test_a_change_that_was_forgotten_is_made_twice_where_it_can_be(small):
    (small / "agents/c.py").write_text("cat = 1\n", encoding="utf-8")
    prompt = 'Replace the word "cat" with "big cat" in every Python file under agents'
    run(prompt, small)
    run(prompt, small)
    assert (small / "agents/c.py").read_text(encoding="utf-8") == "big big cat = 1\n"


def test_without_edit_file_whole_files_are_written(small):
    run('Put "# x" on top of every .py file under agents', small, tools=tools("bash", "read_file", "write_file"))
    assert (small / "agents/b.py").read_text(encoding="utf-8") == "# x\n" + SMALL["agents/b.py"]


def test_an_edit_of_unknown_outcome_is_checked_before_it_is_made_again(small):
    def forgetful(block, folder):
        done = result(block, folder)
        return {**done, "content": "[Previous: used edit_file]"} if block["name"] == "edit_file" else done

    run('Put "# x" on top of every .py file under agents', small, use=forgetful)
    assert (small / "agents/b.py").read_text(encoding="utf-8") == "# x\n" + SMALL["agents/b.py"]
