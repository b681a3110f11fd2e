from learn_compact import check, safe_cuts


def my_snip_compact(messages, archive, max_messages, keep_first, keep_last):
    if len(messages) <= max_messages:
        return messages
    cuts = [0, *safe_cuts(messages), len(messages)]
    start = min(cut for cut in cuts if cut >= keep_first)
    end = max(cut for cut in cuts if cut <= len(messages) - keep_last)
    if end <= start:
        return messages
    path = archive.save_transcript(messages[start:end])
    marker = {"role": "user", "content": f"[{end - start} messages archived at {path}]"}
    return [*messages[:start], marker, *messages[end:]]


check.snip_compact(my_snip_compact)
