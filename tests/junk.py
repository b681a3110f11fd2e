"""Strategies for what no API would send: messages and blocks in which any field may be anything that JSON knows."""

from hypothesis import strategies as st

WORDS = ["role", "content", "type", "id", "text", "user", "assistant", "tool_use", "[Compacted]\nTranscript: a", ""]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | st.text(max_size=5)
JUNK = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
    st.sampled_from(WORDS), inner, max_size=5), max_leaves=20)

# Junk that gets further: the right form, and in every field a value that may be wrong.
SMALL = st.sampled_from(["a", None, [], {}, [{}], [None], 1, True, float("nan"), "", "text"])
TYPES = st.sampled_from(["tool_use", "tool_use", "tool_result", "server_tool_use", "web_search_tool_result", "text",
                         "image", []])
BLOCKS = st.builds(lambda type_, fields: {"type": type_, **fields}, TYPES, st.fixed_dictionaries(
    {key: SMALL for key in ("id", "tool_use_id")}, optional={
        key: SMALL for key in ("name", "input", "text", "content", "is_error", "source")}))
ROLES = st.sampled_from(["user", "assistant", "assistant", None, "tool", []])
ODD_MESSAGES = st.lists(st.fixed_dictionaries({"role": ROLES, "content": st.lists(BLOCKS, min_size=1, max_size=3)}),
                        min_size=1, max_size=4)
MESSAGES = ODD_MESSAGES | st.lists(JUNK, max_size=4)
