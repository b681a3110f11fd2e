"""Wrong answers that people really give, each with the cause that the verdict must name."""

import copy
import json
import re

from learn_compact import (
    NINE_SECTIONS,
    blocks,
    micro_compact,
    newest_request,
    safe_cuts,
    tool_names,
    tool_results,
    unseen_results,
)
from learn_compact.errors import SummaryError
from learn_compact.tokens import context_tokens

WRONG = []  # (exercise, cause, answer)


def wrong(exercise, cause):
    """Put the function below into the table."""
    def row(answer):
        WRONG.append((exercise, cause, answer))
        return answer
    return row


# room_left

@wrong("room_left", "it forgets the buffer")
def of_the_window(usage, window):
    return window - context_tokens(usage)


@wrong("room_left", "it counts only input_tokens, without both sides of the cache")
def without_the_cache(usage, window):
    return window - 13_000 - usage["input_tokens"]


@wrong("room_left", "it counts the answer, which the API did not read")
def with_the_answer(usage, window):
    return window - 13_000 - context_tokens(usage) - usage["output_tokens"]


@wrong("room_left", "it is the wrong way round")
def beyond_the_line(usage, window):
    return context_tokens(usage) - window + 13_000


@wrong("room_left", "it hides that the context is beyond the line")
def never_negative(usage, window):
    return max(0, window - 13_000 - context_tokens(usage))


# estimate_tokens

@wrong("estimate_tokens", "it counts the characters of the JSON")
def of_json(messages):
    return len(json.dumps(messages)) // 4


@wrong("estimate_tokens", "it counts the characters of the JSON, unescaped")
def of_readable_json(messages):
    return len(json.dumps(messages, ensure_ascii=False)) // 4


@wrong("estimate_tokens", "it is no whole number")
def with_a_fraction(messages):
    return len(str(messages)) / 4


@wrong("estimate_tokens", "it rounds up")
def rounded_up(messages):
    return -(-len(str(messages)) // 4)


@wrong("estimate_tokens", "it gives characters, not tokens")
def in_characters(messages):
    return len(str(messages))


@wrong("estimate_tokens", "it counts messages, not characters")
def of_the_list(messages):
    return len(messages) // 4


@wrong("estimate_tokens", "it counts only the contents")
def of_contents(messages):
    return sum(len(str(message["content"])) for message in messages) // 4


@wrong("estimate_tokens", "it counts only what is said")
def of_words(messages):
    texts = [block.get("text") or block.get("content") or json.dumps(block.get("input", ""))
             for message in messages for block in blocks(message)]
    return sum(map(len, texts)) // 4


@wrong("estimate_tokens", "it counts bytes")
def of_bytes(messages):
    return len(str(messages).encode()) // 4


@wrong("estimate_tokens", "it leaves out the brackets and commas between the messages")
def message_by_message(messages):
    return sum(len(str(message)) for message in messages) // 4


# better_estimate

@wrong("better_estimate", "it counts Chinese as if it were English")
def a_third(messages):
    return len(str(messages)) // 3


@wrong("better_estimate", "the estimate is less than nothing")
def less_an_overhead(messages):
    return len(str(messages)) - 500


@wrong("better_estimate", "the estimate is no number")
def as_text(messages):
    return f"{len(str(messages)) // 4} tokens"


@wrong("better_estimate", "it shrinks when a message is added")
def an_average(messages):
    sizes = [3 * len(message["content"]) if isinstance(message["content"], str) else 1_000 for message in messages]
    return sum(sizes) / len(sizes) if sizes else 0


@wrong("better_estimate", "it counts the bytes of a picture")
def a_token_a_character(messages):
    return len(str(messages))


@wrong("better_estimate", "a picture costs nothing")
def blind_to_pictures(messages):
    return sum(len(str(block)) for message in messages for block in blocks(message) if block["type"] != "image")


# micro_compact

def cleared(messages, is_old=lambda results: results[:-3], placeholder="[Previous: used {name}]"):
    """A good answer, but for what a caller changes."""
    unseen = [found.tool_use_id for found in unseen_results(messages)]
    after = copy.deepcopy(messages)
    names = tool_names(messages)
    for _, _, block in is_old(tool_results(after)):
        content, name = block.get("content"), names[block["tool_use_id"]]
        text = content if isinstance(content, str) else "".join(part["text"] for part in content or [])
        if len(text) > 100 and name != "read_file" and block["tool_use_id"] not in unseen:
            block["content"] = placeholder.format(name=name)
    return after


@wrong("micro_compact", "it changed what it was given")
def in_place_as_in_s06(messages):
    names = tool_names(messages)
    for _, _, block in tool_results(messages)[:-3]:
        if isinstance(block.get("content"), str) and len(block["content"]) > 100:
            block["content"] = f"[Previous: used {names[block['tool_use_id']]}]"
    return messages


@wrong("micro_compact", "it returned nothing here")
def in_place_and_nothing_returned(messages):
    in_place_as_in_s06(messages)


@wrong("micro_compact", "it changed what it was given")
def a_shallow_copy(messages):
    return in_place_as_in_s06([dict(message) for message in messages])


@wrong("micro_compact", "one of the newest 3 results was cleared")
def keeps_two(messages):
    return cleared(messages, lambda results: results[:-2])


@wrong("micro_compact", "an old result was left")
def keeps_four(messages):
    return cleared(messages, lambda results: results[:-4])


@wrong("micro_compact", "one of the newest 3 results was cleared")
def clears_the_newest(messages):
    return cleared(messages, lambda results: results[3:])


@wrong("micro_compact", "an old result was left")
def three_messages_instead_of_results(messages):
    recent = [i for i, message in enumerate(messages) if message["role"] == "user"][-3:]
    return cleared(messages, lambda results: [found for found in results if found.message_index not in recent])


@wrong("micro_compact", "an old result was left")
def one_result_a_message(messages):
    after = copy.deepcopy(messages)
    with_results = [message for message in after if isinstance(message["content"], list)
                    and message["content"][0]["type"] == "tool_result"]
    for message in with_results[:-3]:
        message["content"][0]["content"] = "[Previous: used bash]"
    return after


@wrong("micro_compact", "keep_recent makes no difference here")
def always_three(messages, keep_recent=3):
    return micro_compact(messages)


@wrong("micro_compact", "an old result was left, and keep_recent is 0")
def all_but_minus_zero(messages, keep_recent=3):
    return micro_compact(messages, keep_recent=len(tool_results(messages)[-keep_recent:]))


@wrong("micro_compact", "a result was cleared that the model has not seen yet")
def unseen_as_in_s06(messages):
    return in_place_as_in_s06(copy.deepcopy(messages))


@wrong("micro_compact", "a result of read_file was cleared")
def files_too(messages):
    return micro_compact(messages, preserve=())


@wrong("micro_compact", "a short result was cleared")
def short_ones_too(messages):
    return micro_compact(messages, min_chars=0)


@wrong("micro_compact", "a short result was cleared")
def from_a_hundred_on(messages):
    return micro_compact(messages, min_chars=99)


@wrong("micro_compact", "an old result of 101 characters was left")
def from_a_hundred_and_two_on(messages):
    return micro_compact(messages, min_chars=101)


@wrong("micro_compact", "an old result was left because its content is a list")
def only_text_content(messages):
    after = cleared(messages)
    for found, given in zip(tool_results(after), tool_results(messages), strict=True):
        if isinstance(given.block.get("content"), list):
            found.block["content"] = given.block["content"]
    return after


@wrong("micro_compact", "a result that stays was changed")
def lists_become_text(messages):
    after = cleared(messages)
    for _, _, block in tool_results(after):
        if isinstance(block.get("content"), list):
            block["content"] = str(block["content"])
    return after


@wrong("micro_compact", "an old error was left")
def errors_stay(messages):
    after = cleared(messages)
    for found, given in zip(tool_results(after), tool_results(messages), strict=True):
        if given.block.get("is_error"):
            found.block["content"] = given.block["content"]
    return after


@wrong("micro_compact", "an error is no longer marked as one")
def errors_like_the_rest(messages):
    after = cleared(messages)
    for _, _, block in tool_results(after):
        if str(block.get("content")).startswith("[Previous"):
            block.pop("is_error", None)
    return after


@wrong("micro_compact", "the placeholder names another tool")
def the_name_of_the_last_call(messages):
    names = list(tool_names(messages).values())
    return cleared(messages, placeholder=f"[Previous: used {names[-1] if names else ''}x]")


@wrong("micro_compact", "the placeholder reads differently")
def another_placeholder(messages):
    return cleared(messages, placeholder="[cleared: {name}]")


@wrong("micro_compact", "a result is gone, and its call stands alone")
def results_dropped(messages):
    old = [found.tool_use_id for found in tool_results(cleared(messages))
           if str(found.block.get("content")).startswith("[Previous")]
    return [{**message, "content": [block for block in message["content"] if block.get("tool_use_id") not in old]}
            if isinstance(message["content"], list) else message for message in messages]


@wrong("micro_compact", "something changed that isn't a tool result")
def empty_messages_dropped(messages):
    return [message for message in cleared(messages) if message["content"] != "Yes."]


@wrong("micro_compact", "it raised KeyError")
def content_is_always_there(messages):
    assert all(found.block["content"] is not None for found in tool_results(messages))
    return cleared(messages)


@wrong("micro_compact", "it returned nothing here")
def a_way_without_return(messages):
    if len(tool_results(messages)) > 3:
        return cleared(messages)


@wrong("micro_compact", "it didn't come back")
def never_done(messages):
    while len(messages) > 2:
        pass
    return messages


@wrong("micro_compact", "it returned something else than a list of messages")
def how_many(messages):
    return len(cleared(messages))


# auto_compact

def head(text, request=None):
    said = [text] + ([f"Current user request:\n{request}"] if request else [])
    return {"role": "user", "content": [{"type": "text", "text": part} for part in said]}


def header(path):
    return f"[Conversation compressed. Transcript: {path}]\n\n"


def compacted(messages, summarize, archive, kept=()):
    """Right where nothing is unseen and the summary works."""
    return [head(header(archive.save_transcript(messages)) + summarize(messages), newest_request(messages)), *kept]


@wrong("auto_compact", "the user's request is lost")
def as_in_s06(messages, summarize, archive):
    path = archive.save_transcript(messages)
    return [{"role": "user", "content": header(path) + summarize(messages)}]


@wrong("auto_compact", "the request is there, but not in a block of its own")
def request_in_the_summary(messages, summarize, archive):
    text = header(archive.save_transcript(messages)) + summarize(messages)
    return [head(f"{text}\n\nCurrent user request:\n{newest_request(messages)}")]


@wrong("auto_compact", "results are gone that the model has not seen")
def unseen_results_gone(messages, summarize, archive):
    return compacted(messages, summarize, archive)


@wrong("auto_compact", "a pair was split")
def results_without_their_calls(messages, summarize, archive):
    unseen = unseen_results(messages)
    return compacted(messages, summarize, archive, messages[unseen[0].message_index:] if unseen else [])


@wrong("auto_compact", "more stays than must")
def the_last_messages_stay(messages, summarize, archive):
    start = max([0, *(cut for cut in safe_cuts(messages) if cut <= len(messages) - 2)])
    return compacted(messages, summarize, archive, messages[start:])


def finished(messages, summarize, archive):
    """Right where the summary works."""
    answers = [i for i, message in enumerate(messages) if message["role"] == "assistant"]
    return compacted(messages, summarize, archive, messages[answers[-1]:] if unseen_results(messages) else [])


@wrong("auto_compact", "the history was replaced, although the summary is empty")
def an_empty_summary_is_one(messages, summarize, archive):
    return finished(messages, summarize, archive)


@wrong("auto_compact", "the history was replaced, although the summary fails")
def a_failure_is_swallowed(messages, summarize, archive):
    def or_else(messages):
        try:
            return summarize(messages).strip() or "(no summary)"
        except Exception:
            return "(no summary)"
    return finished(messages, or_else, archive)


@wrong("auto_compact", "no transcript was saved")
def no_disk(messages, summarize, archive):
    return [head(header("nowhere") + summarize(messages), newest_request(messages))]


@wrong("auto_compact", "the transcript is not the conversation")
def only_the_newest_to_disk(messages, summarize, archive):
    return [head(header(archive.save_transcript(messages[-1:])) + summarize(messages), newest_request(messages))]


@wrong("auto_compact", "no summary was asked for")
def own_words(messages, summarize, archive):
    return [head(header(archive.save_transcript(messages)) + "Much was done.", newest_request(messages))]


@wrong("auto_compact", "the first message reads differently")
def the_header_of_the_text(messages, summarize, archive):
    archive.save_transcript(messages)
    return [head("[Compressed]\n\n" + summarize(messages), newest_request(messages))]


@wrong("auto_compact", "nothing was compacted")
def all_stays(messages, summarize, archive):
    summarize(messages)
    return messages


@wrong("auto_compact", "it changed what it was given")
def replaced_in_place(messages, summarize, archive):
    messages[:] = finished(messages, summarize, archive)
    return messages


# compact_batch

def result_of(call, run_tool):
    if call["name"] == "compact":
        return {"type": "tool_result", "tool_use_id": call["id"], "content": "Manual compression requested."}
    try:
        return {"type": "tool_result", "tool_use_id": call["id"], "content": run_tool(call["name"], call["input"])}
    except RuntimeError as error:
        return {"type": "tool_result", "tool_use_id": call["id"], "content": str(error), "is_error": True}


def calls_of(content):
    return [block for block in content if block["type"] == "tool_use"]


def answered(calls, run_tool):
    return {"role": "user", "content": [result_of(call, run_tool) for call in calls]}


def asks(content):
    return any(call["name"] == "compact" for call in calls_of(content))


@wrong("compact_batch", "the calls behind compact were not run")
def compacts_at_once(content, run_tool):
    results = []
    for call in calls_of(content):
        if call["name"] == "compact":
            return {"role": "user", "content": results}, True
        results.append(result_of(call, run_tool))
    return {"role": "user", "content": results}, False


@wrong("compact_batch", "the call of compact has no result")
def compact_is_skipped(content, run_tool):
    return answered([call for call in calls_of(content) if call["name"] != "compact"], run_tool), asks(content)


@wrong("compact_batch", "the results are not one for each call, in their order")
def compact_goes_last(content, run_tool):
    return answered(sorted(calls_of(content), key=lambda call: call["name"] == "compact"), run_tool), asks(content)


@wrong("compact_batch", "the tools were run in another order")
def backwards(content, run_tool):
    message = answered(calls_of(content)[::-1], run_tool)
    return {**message, "content": message["content"][::-1]}, asks(content)


@wrong("compact_batch", "compact was run like any other tool")
def every_call_is_run(content, run_tool):
    results = [{"type": "tool_result", "tool_use_id": call["id"], "content": run_tool(call["name"], call["input"])}
               for call in calls_of(content)]
    return {"role": "user", "content": results}, asks(content)


@wrong("compact_batch", "compact was run like any other tool")
def every_call_is_run_and_errors_are_caught(content, run_tool):
    results = []
    for call in calls_of(content):
        result = {"type": "tool_result", "tool_use_id": call["id"]}
        try:
            results.append({**result, "content": run_tool(call["name"], call["input"])})
        except Exception as error:
            results.append({**result, "content": str(error), "is_error": True})
    return {"role": "user", "content": results}, asks(content)


@wrong("compact_batch", "a tool was run twice")
def tried_first(content, run_tool):
    for call in calls_of(content):
        result_of(call, run_tool)
    return answered(calls_of(content), run_tool), asks(content)


@wrong("compact_batch", "a call was not run")
def one_call_of_each_tool(content, run_tool):
    return answered(list({call["name"]: call for call in calls_of(content)}.values()), run_tool), asks(content)


@wrong("compact_batch", "one tool that fails takes the whole batch with it")
def unprotected(content, run_tool):
    results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "Manual compression requested."
                if call["name"] == "compact" else run_tool(call["name"], call["input"])} for call in calls_of(content)]
    return {"role": "user", "content": results}, asks(content)


@wrong("compact_batch", "an error looks like any other result")
def unmarked_errors(content, run_tool):
    message = answered(calls_of(content), run_tool)
    for result in message["content"]:
        result.pop("is_error", None)
    return message, asks(content)


@wrong("compact_batch", "what went wrong is not said")
def errors_without_a_word(content, run_tool):
    message = answered(calls_of(content), run_tool)
    for result in message["content"]:
        result["content"] = "Error" if result.get("is_error") else result["content"]
    return message, asks(content)


@wrong("compact_batch", "compact was called, and nothing will come of it")
def only_where_it_comes_first(content, run_tool):
    return answered(calls_of(content), run_tool), calls_of(content)[0]["name"] == "compact"


@wrong("compact_batch", "it wants to compact, and nobody asked")
def always_compacts(content, run_tool):
    return answered(calls_of(content), run_tool), True


@wrong("compact_batch", "it gives back something else")
def only_the_message(content, run_tool):
    return answered(calls_of(content), run_tool)


@wrong("compact_batch", "a result reads differently")
def in_other_words(content, run_tool):
    message = answered(calls_of(content), run_tool)
    for result in message["content"]:
        result["content"] = str(result["content"]).replace("Manual compression requested.", "OK")
    return message, asks(content)


# snip_compact

def snipped(messages, archive, start, end, saved=None):
    path = archive.save_transcript(messages[start:end] if saved is None else saved)
    marker = {"role": "user", "content": f"[{end - start} messages archived at {path}]"}
    return [*messages[:start], marker, *messages[end:]] if start < end else messages


def cuts_for(messages, keep_first, keep_last):
    cuts = [0, *safe_cuts(messages), len(messages)]
    return (min(cut for cut in cuts if cut >= keep_first),
            max(cut for cut in cuts if cut <= len(messages) - keep_last))


@wrong("snip_compact", "a pair was split")
def anywhere(messages, archive, max_messages, keep_first, keep_last):
    if len(messages) <= max_messages:
        return messages
    return snipped(messages, archive, keep_first, len(messages) - keep_last)


@wrong("snip_compact", "messages at the end are gone")
def orphans_thrown_away(messages, archive, max_messages, keep_first, keep_last):
    after = anywhere(messages, archive, max_messages, keep_first, keep_last)
    known = tool_names(after)
    return [message for message in after
            if all(block.get("tool_use_id", "") in {"", *known} for block in blocks(message))]


@wrong("snip_compact", "messages at the beginning are gone")
def a_cut_to_the_left(messages, archive, max_messages, keep_first, keep_last):
    if len(messages) <= max_messages:
        return messages
    start, end = cuts_for(messages, keep_first, keep_last)
    return snipped(messages, archive, max(0, start - 1), end)


@wrong("snip_compact", "it snipped where nothing had to go")
def at_the_limit_too(messages, archive, max_messages, keep_first, keep_last):
    start, end = cuts_for(messages, keep_first, keep_last)
    return snipped(messages, archive, start, end) if len(messages) >= max_messages else messages


@wrong("snip_compact", "the middle is gone for good")
def never_saved(messages, archive, max_messages, keep_first, keep_last):
    if len(messages) <= max_messages:
        return messages
    start, end = cuts_for(messages, keep_first, keep_last)
    marker = {"role": "user", "content": f"[{end - start} messages archived at a file]"}
    return [*messages[:start], marker, *messages[end:]] if start < end else messages


@wrong("snip_compact", "nothing says where the middle is")
def no_marker(messages, archive, max_messages, keep_first, keep_last):
    if len(messages) <= max_messages:
        return messages
    start, end = cuts_for(messages, keep_first, keep_last)
    archive.save_transcript(messages[start:end])
    return [*messages[:start], *messages[max(start, end):]]


@wrong("snip_compact", "what was archived is not what was cut")
def everything_saved(messages, archive, max_messages, keep_first, keep_last):
    if len(messages) <= max_messages:
        return messages
    return snipped(messages, archive, *cuts_for(messages, keep_first, keep_last), saved=messages)


@wrong("snip_compact", "the marker reads differently")
def a_marker_without_number(messages, archive, max_messages, keep_first, keep_last):
    if len(messages) <= max_messages:
        return messages
    start, end = cuts_for(messages, keep_first, keep_last)
    path = archive.save_transcript(messages[start:end])
    marker = {"role": "user", "content": f"[archived at {path}]"}
    return [*messages[:start], marker, *messages[end:]] if start < end else messages


@wrong("snip_compact", "more was kept than the pairs ask for")
def one_more_to_be_safe(messages, archive, max_messages, keep_first, keep_last):
    if len(messages) <= max_messages:
        return messages
    start, end = cuts_for(messages, keep_first + 1, keep_last)
    return snipped(messages, archive, start, end)


@wrong("snip_compact", "nothing was snipped")
def never(messages, archive, max_messages, keep_first, keep_last):
    return messages


# parse_summary

def sections_of(body):
    sections = {}
    for line in body.split("\n"):
        title = line.partition(". ")[2].rstrip(":")
        if title in NINE_SECTIONS:
            sections[title] = []
        elif sections:
            sections[list(sections)[-1]].append(line)
    return {title: "\n".join(lines).strip() for title, lines in sections.items()}


@wrong("parse_summary", "it reads the analysis")
def of_the_whole_answer(text):
    if "<summary>" not in text:
        raise SummaryError("No summary.")
    return sections_of(text.replace("</summary>", ""))


@wrong("parse_summary", "an answer without <summary> was believed")
def whatever_comes(text):
    return sections_of(text.rpartition("<summary>")[2].partition("</summary>")[0])


@wrong("parse_summary", "a summary was refused")
def both_tags_or_nothing(text):
    found = re.search(r"(?s).*<summary>(.*)</summary>", text)
    if not found:
        raise SummaryError("No summary.")
    return sections_of(found[1])


@wrong("parse_summary", "the last tag became part of a section")
def to_the_very_end(text):
    if "<summary>" not in text:
        raise SummaryError("No summary.")
    return sections_of(text.rpartition("<summary>")[2])


@wrong("parse_summary", "it has sections that aren't there")
def always_nine(text):
    if "<summary>" not in text:
        raise SummaryError("No summary.")
    return dict.fromkeys(NINE_SECTIONS, "") | sections_of(text.rpartition("<summary>")[2].partition("</summary>")[0])


@wrong("parse_summary", "a section reads differently")
def one_line_each(text):
    if "<summary>" not in text:
        raise SummaryError("No summary.")
    sections = sections_of(text.rpartition("<summary>")[2].partition("</summary>")[0])
    return {title: inside.split("\n")[0] for title, inside in sections.items()}


@wrong("parse_summary", "it begins at a tag that the analysis only quotes")
def from_the_first_tag(text):
    if "<summary>" not in text:
        raise SummaryError("No summary.")
    return sections_of(text.partition("<summary>")[2].partition("</summary>")[0])


# files_to_restore

def restored(reads, max_files=5, max_each=5_000, max_all=50_000):
    chosen, room = {}, max_all
    for path, tokens in reads:
        if path not in chosen and len(chosen) < max_files and room:
            chosen[path] = min(tokens, max_each, room)
            room -= chosen[path]
    return chosen


@wrong("files_to_restore", "it takes the files that were read first")
def the_oldest(reads, max_files, max_each, max_all):
    return restored(reads, max_files, max_each, max_all)


@wrong("files_to_restore", "a file that was read twice takes two places")
def of_the_last_readings(reads, max_files, max_each, max_all):
    return restored(reads[:-max_files - 1:-1], max_files, max_each, max_all)


@wrong("files_to_restore", "a file that is too large is left out instead of cut")
def whole_or_not_at_all(reads, max_files, max_each, max_all):
    chosen = {}
    for path, tokens in reversed(reads):
        small = tokens <= min(max_each, max_all - sum(chosen.values()))
        if path not in chosen and len(chosen) < max_files and small:
            chosen[path] = tokens
    return chosen


@wrong("files_to_restore", "the last file is left out instead of cut to the room that is left")
def until_one_does_not_fit(reads, max_files, max_each, max_all):
    chosen, room = {}, max_all
    for path, tokens in reversed(reads):
        if len(chosen) == max_files or min(tokens, max_each) > room:
            break
        if path not in chosen:
            chosen[path] = min(tokens, max_each)
            room -= chosen[path]
    return chosen


@wrong("files_to_restore", "the last file is left out instead of cut to the room that is left")
def all_that_fit_into_the_room(reads, max_files, max_each, max_all):
    chosen = {}
    for path, tokens in reversed(reads):
        shown = min(tokens, max_each)
        if path not in chosen and len(chosen) < max_files and shown <= max_all - sum(chosen.values()):
            chosen[path] = shown
    return chosen


@wrong("files_to_restore", "it takes an older size of a file that has changed")
def as_they_were_first(reads, max_files, max_each, max_all):
    first = dict(reversed(reads))
    return restored([(path, first[path]) for path, _ in reversed(reads)], max_files, max_each, max_all)


@wrong("files_to_restore", "it forgets the limit of each file")
def as_long_as_they_are(reads, max_files, max_each, max_all):
    return restored(reads[::-1], max_files, max_all, max_all)


@wrong("files_to_restore", "it forgets the limit of all files together")
def however_much_it_is(reads, max_files, max_each, max_all):
    return restored(reads[::-1], max_files, max_each)


@wrong("files_to_restore", "it forgets the number of files")
def all_that_fit(reads, max_files, max_each, max_all):
    return restored(reads[::-1], len(reads), max_each, max_all)


# guard

def in_a_row(outcomes, closing=("worked", "by hand")):
    """The failures since the last of `closing`."""
    since = max((i + 1 for i, outcome in enumerate(outcomes) if outcome in closing), default=0)
    return outcomes[since:].count("failed")


def is_free(source):
    return source not in ("compact", "session_memory")


@wrong("guard", "it is the wrong way round")
def why_not_instead_of_whether(source, outcomes, max_failures):
    return not is_free(source) or in_a_row(outcomes) >= max_failures


@wrong("guard", "it gives up one failure too early")
def at_the_last_attempt(source, outcomes, max_failures):
    return is_free(source) and in_a_row(outcomes) < max_failures - 1


@wrong("guard", "it gives up one failure too late")
def once_more(source, outcomes, max_failures):
    return is_free(source) and in_a_row(outcomes) <= max_failures


@wrong("guard", "it counts all failures, not those in a row")
def however_long_ago(source, outcomes, max_failures):
    return is_free(source) and in_a_row(outcomes, ("by hand",)) < max_failures


@wrong("guard", "a compaction by hand changes nothing")
def only_its_own(source, outcomes, max_failures):
    return is_free(source) and in_a_row(outcomes, ("worked",)) < max_failures


@wrong("guard", "it compacts a request that comes from compact")
def whoever_asks(source, outcomes, max_failures):
    return in_a_row(outcomes) < max_failures


@wrong("guard", "it compacts a request that comes from session_memory")
def but_the_summary(source, outcomes, max_failures):
    return source != "compact" and in_a_row(outcomes) < max_failures


@wrong("guard", "it returns something else than True or False")
def the_failures_themselves(source, outcomes, max_failures):
    return in_a_row(outcomes)


# bill

@wrong("bill", "it counts every token as one")
def one_price_for_all(usage):
    return float(sum(usage.values()))


@wrong("bill", "it forgets the output")
def of_the_context(usage):
    return (usage["input_tokens"] + 1.25 * usage["cache_creation_input_tokens"]
            + 0.1 * usage["cache_read_input_tokens"])


@wrong("bill", "it pays the full price for what was read from the cache")
def without_a_discount(usage):
    return (usage["input_tokens"] + 1.25 * usage["cache_creation_input_tokens"] + usage["cache_read_input_tokens"]
            + 5 * usage["output_tokens"])


@wrong("bill", "it takes what was read from the cache for free")
def with_free_reads(usage):
    return usage["input_tokens"] + 1.25 * usage["cache_creation_input_tokens"] + 5 * usage["output_tokens"]


@wrong("bill", "it forgets that writing to the cache costs more")
def with_cheap_writes(usage):
    return (usage["input_tokens"] + usage["cache_creation_input_tokens"] + 0.1 * usage["cache_read_input_tokens"]
            + 5 * usage["output_tokens"])
