"""The words that the stand-in understands, as lists: what means the same stands together."""

import re


def phrases(words):
    """A pattern for any of the phrases, which commas part; `*` is the rest of a word.

    >>> bool(phrases("go* through, read").search("Going through all of it"))
    True
    """
    listed = [re.escape(phrase.strip()).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")
              for phrase in " ".join(words.split()).split(",")]
    return re.compile(rf"(?<![\w⟦])(?:{'|'.join(sorted(listed, key=len, reverse=True))})(?![\w⟧])", re.I)


def says(text, *lists):
    """Whether a text has a phrase of every one of the lists."""
    return all(words.search(text.replace("’", "'")) for words in lists)


# What is to be done
READ = phrases("read, reading, open, opening, load, view, scan, visit, study, go* through, look* through, look* at, "
               "look* into, walk* through, work* through, page through, step through, have a look at, take a look at")
COUNT = phrases("count, counting, how many, number of, tally, add* up, sum, sum up, total, totals, figure, grand "
                "total")
ADD = phrases("add, adding, put, insert, prepend, place, prefix, stamp, give")
ENSURE = phrases("make sure, ensure, see to it, should, must, need, needs, want, wants, let, write, start, begin")
COMPACT = phrases("compact tool, compact the, compact this, compact our, compact it, compact now, call compact, use "
                  "compact, run compact")
COMPRESS = phrases("compress, condense, squeeze, shrink")
SUMMARISE = phrases("summar*, recap")
GO_ON = phrases("continue, go on, carry on, keep going, proceed, resume, next, go ahead, finish it, finish the job, "
                "finish the task, finish what you began, pick up where you left off")

# What it is done to
MEASURES = {
    "functions": phrases("function, functions, method, methods, function definition*, def, defs, def statement*"),
    "classes": phrases("class, classes, class definition*"),
    "lines": phrases("line, lines, loc, line count*"),
}
FILES = phrases("file, files, module, modules, script, scripts")
CONVERSATION = phrases("conversation, history, context, chat, session, talk, dialogue, discussion")
SO_FAR = phrases("so far, up to now, until now, until here, above, below, to this point")
A_LINE = phrases("line, header, comment, notice, banner, stamp, licence, license, copyright")
TOP = phrases("top, beginning, start, starts, begin, begins, head, first line, first thing, line one, line 1, "
              "very front, prepend, prefix, open with, opens with, in front")
NOT_TOP = phrases("end, bottom, append, last line, after, before, below each, above each, between")
A_WORD = phrases("word, words, name, names, identifier, term, string, occurrence*, mention*, instance*, function, "
                 "class, method, variable, every, each, everywhere, wherever")
EVERYWHERE = phrases("everywhere, wherever, throughout")
HERE = phrases("here, project, repository, repo, codebase, code base, workspace, all the code")

# How
ONE_BY_ONE = phrases("one by one, one at a time, one after the other, one after another, singly, individually, a "
                     "file at a time, one file at a time, a single file at a time, each on its own, one per turn")
PER_FILE = phrases("per file, for each, for every, each file's, file by file, by file, break down, break it down, "
                   "breakdown, itemi*, one line per file, each of them, next to each, beside each")
UNTIL = phrases("until, till, up to the point, to the point, so long as, as long as it takes")
COMPACTION = phrases("compress*, compact*, condens*, summari*, squeezed, shrunk")
FOCUS = phrases("focus on, focusing on, focussing on, focus, keep, keeping, preserve, preserving, remember, "
                "remembering, hold on to, holding on to, don't lose, do not lose, without losing, don't forget, do "
                "not forget, attention to, care of, details about, details of, make sure")
SUMMARY_FOCUS = phrases("detail about, details about, details on, attention to, focus on, focus, instructions")

# Questions about the conversation
QUESTION = phrases("what, which, list, name, repeat, recall, remind me, restate, quote, tell me")
EXPLAIN = phrases("what is, what does, what are, how does, how do, why, explain, when should, when does, does it")
MINE = phrases("I, my, we, the user")
ASKED = phrases("ask, asked, say, said, tell, told, want, wanted, request, requested, requests, question, task, "
                "instruction*, assignment")
YOU_READ = phrases("you read, you already read, you have read, you've read, you open, you opened, you have opened, "
                   "you look at, you looked at, you seen, you see, you visit, you visited, you load, you loaded, "
                   "were read, have been read")
WHAT_YOU_READ = phrases("what have you read, what did you read, what you have read")

# What is beyond the stand-in: other things to do, and conditions on what is counted
POLITE = frozenset("please then also now just you could can would will kindly i i'd we want need like me let us let's "
                   "first finally afterwards next".split())
FOREIGN = frozenset("""analyse analyze build check commit compare convert copy create debug delete deploy describe
    document download draw execute explain fix format generate implement improve install invent merge modify move
    optimise optimize plot push refactor remove rename review rewrite run sort summarise summarize test translate update
    upload""".split())
ELSEWHERE = phrases("to a file, into a file, write a, write an, write me, write some, as csv, as json, by email, "
                    "tell me why, what it does, what they do, how it works")
CONDITION = phrases(
    "blank, empty, non-empty, commented, async, public, private, nested, longest, shortest, largest, biggest, "
    "smallest, average, mean, median, most, fewest, unused, duplicate*, distinct, unique, bug, bugs, todo, todos, "
    "docstring*, longer, shorter, more than, fewer than, less than, at least, " + ", ".join(
        f"{things} {which}" for things in ("functions", "methods", "classes", "lines")
        for which in ("named", "called", "using", "calling", "with", "without", "whose", "call", "use", "take",
                      "return", "raise", "contain", "containing", "mentioning", "which", "that call", "that use",
                      "that take", "that return", "that have", "that start", "that inherit", "that contain",
                      "that mention")))

# What a summary looks for
PROHIBITED = phrases("never, do not, don't, must not, must, only, always, skip, ignore, leave out, except, without, "
                     "avoid")
DECIDED = phrases("decided, decide, instead, chose, choose, because, so I, therefore, rather than, will use, going "
                  "to use")
