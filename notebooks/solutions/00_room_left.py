from learn_compact import check


def room_left(usage, window):
    context = usage["input_tokens"] + usage["cache_creation_input_tokens"] + usage["cache_read_input_tokens"]
    return window - 13_000 - context


check.room_left(room_left)
