"""Work on files, one step of it: list them, note what was seen, fetch or change what is missing, or answer.

Nothing is remembered from one step to the next. What was seen and isn't noted is noted first, because a result may be
gone at the next request. A file whose content was gone before it could be seen is read again, after the others.
"""

from learn_compact.offline.standin import lines, wording
from learn_compact.offline.standin.calls import Edit, Listing, Write, as_tool_use
from learn_compact.offline.standin.jobs import MAX_UNSEEN, Changing, Counting, Endless, Reading
from learn_compact.offline.standin.wishes import AddLine, Audit, KeepReading, ReadFiles, Replace

BATCH = 4                  # so many files are asked for in one message
REPEAT_TURNS = 20          # a note so old is written again, because what is old goes first
MAX_CHANGE_CHARS = 12_000  # so much text of changes fits into one message, unless one file alone takes more

_JOBS = {ReadFiles: Reading, Audit: Counting, KeepReading: Endless, AddLine: Changing, Replace: Changing}


def work(wish, facts, offered, batch=BATCH):
    """What to say, and the calls to make next; without calls, what was said is the answer."""
    if isinstance(wish, KeepReading) and facts.compacted:
        return wording.compacted(facts.transcript), []
    wanted = [] if wish.files.paths else [Listing(folder, wish.files.suffix) for folder in wish.files.folders]
    for listing in wanted:
        if listing in facts.failed_listings:
            return wording.no_folder(listing, facts.failed_listings[listing]), []
        if facts.unseen_listings[listing] >= MAX_UNSEEN:
            return wording.no_folder(listing, wording.NEVER_SEEN), []
    unknown = [listing for listing in wanted if _known(listing, facts) is None]
    if unknown:
        return (wording.listing(unknown), unknown) if as_tool_use(unknown[0], offered) else (wording.lacks("list"), [])
    listed = sorted({path for listing in wanted for path in _known(listing, facts)} | set(wish.files.paths))
    if not listed:
        return wording.no_files(wish.files), []
    notes = [lines.listing(listing, paths) for listing, paths in facts.listings.items() if listing not in facts.noted]
    return _step(_JOBS[type(wish)](wish, facts.files, offered, batch), listed, notes, facts.turn)


def pending(wish, facts):
    """The files that still need something for this wish, where the context has a list of them; else []."""
    if type(wish) not in _JOBS or isinstance(wish, KeepReading):
        return []
    listed = wish.files.paths or [path for folder in wish.files.folders
                                  for path in _known(Listing(folder, wish.files.suffix), facts) or ()]
    job = _JOBS[type(wish)](wish, facts.files, ("bash", "edit_file"), BATCH)
    return [path for path in sorted(set(listed)) if wish.files.allows(path) and job.needs(path)]


def _step(job, listed, notes, turn):
    paths = [path for path in listed if job.wish.files.allows(path)]
    notes = notes + [lines.item(path, note) for path in paths for note in job.notes(path)]
    calls = _next_calls(job, {path: calls for path in paths if (calls := job.needs(path))})
    if not calls:
        return "\n".join([*notes, *job.answer(paths, [path for path in listed if path not in paths])]), []
    if not as_tool_use(calls[0], job.offered):
        return wording.lacks("change files" if _is_change(calls[0]) else "read files"), []
    notes += [lines.item(path, note) for path in paths for note, written in job.files[path].notes.items()
              if turn - written >= REPEAT_TURNS]
    return "\n".join([*notes, wording.doing(_is_change(calls[0]), dict.fromkeys(call.path for call in calls))]), calls


def _next_calls(job, needs):
    """The calls for the next files: changes before readings, no more than fit into one message.

    A file that was read and never seen is read alone: together with others it may have been too much.
    """
    chosen, chars = [], 0
    for path in sorted(needs, key=lambda path: (not _is_change(needs[path][0]), job.order(path)))[:job.batch]:
        was_lost = job.files[path].unseen > 0
        chars += sum(len(text) for call in needs[path] for text in call if isinstance(text, str))
        if chosen and (was_lost or chars > MAX_CHANGE_CHARS or _is_change(needs[path][0]) != _is_change(chosen[0])):
            break
        chosen += needs[path]
        if was_lost:
            break
    return chosen


def _is_change(call):
    return isinstance(call, Edit | Write)


def _known(wanted, facts):
    """The paths of a listing, from it or from a wider one; None where the context holds neither."""
    for listed, paths in facts.listings.items():
        if listed.folder in (".", wanted.folder) or wanted.folder.startswith(listed.folder + "/"):
            inside = "" if wanted.folder == "." else wanted.folder + "/"
            if wanted.suffix.endswith(listed.suffix):
                return [path for path in paths if path.startswith(inside) and path.endswith(wanted.suffix)]
    return None
