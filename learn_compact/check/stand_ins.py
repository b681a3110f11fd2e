"""What an exercise hands to the reader's function in place of a disk and a model: both only remember."""

import copy

from learn_compact.errors import SummaryError

SUMMARY = "1) The files were read. 2) Two tests fail. 3) The fix comes first."


class Shelf:
    """An archive without a disk: what was saved stands in `saved`, by path."""

    def __init__(self):
        self.saved = {}

    def save_transcript(self, messages):
        path = f".transcripts/transcript_{len(self.saved) + 1}.jsonl"
        self.saved[path] = copy.deepcopy(messages)
        return path


class Summarizer:
    """A model that writes one summary for everything; or in another `mood` fails, or answers with nothing."""

    MOODS = ("works", "fails", "is empty", "is blank")

    def __init__(self, mood="works"):
        self.mood, self.calls = mood, 0

    def __call__(self, messages, focus=""):
        self.calls += 1
        if self.mood == "fails":
            raise SummaryError("The answer was cut off at max_tokens.")
        return {"works": SUMMARY, "is empty": "", "is blank": " \n"}[self.mood]
