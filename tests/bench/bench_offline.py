"""A call to the API inside the process costs what counting costs, and counting only what is new."""

from itertools import count

from figures import Figure, seconds

from learn_compact.offline import MODEL, OfflineAPI, client_of
from learn_compact.tokens import count_text, count_tokens

_numbers = count()


def conversation(steps):
    """A request and `steps` calls with their results of about 1,000 characters, no two alike."""
    messages = [{"role": "user", "content": "Count the functions."}]
    for i in range(steps):
        call = {"type": "tool_use", "id": f"call_{i}", "name": "read_file", "input": {"path": f"agents/part_{i}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"call_{i}",
                  "content": f"def part_{i}(x):\n    return x + {i}\n" * 30}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return messages


def figures():
    client = client_of(OfflineAPI(10**7, model=lambda request: [{"type": "text", "text": "Done."}]))

    def ask(messages):
        client.messages.create(model=MODEL, max_tokens=100, messages=messages)

    def ask_with_one_more(messages):
        ask([*messages, {"role": "user", "content": f"Note {next(_numbers)}: " + "one line of a log\n" * 100}])

    short, long = conversation(1), conversation(250)
    ask(short)  # reads the vocabulary
    over_counting = seconds(lambda: ask(short), 50) - seconds(lambda: count_tokens(short), 50)
    yield Figure("a call through the SDK, over counting", 1_000 * over_counting, 2, "ms")
    count_text.cache_clear()
    anew = seconds(lambda: count_tokens(long), 1)
    yield Figure("a call with 500 known messages and a new one / counting the 500",
                 seconds(lambda: ask_with_one_more(long)) / anew, 0.1)
