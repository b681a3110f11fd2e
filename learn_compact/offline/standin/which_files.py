"""Which files a request means: folders, a kind of file, single files by name. Left out: conditions on their content."""

import re

from learn_compact.offline.standin.quotes import HIDDEN, shown
from learn_compact.offline.standin.vocabulary import EVERYWHERE, FILES, HERE, phrases, says
from learn_compact.offline.standin.wishes import Files

_FOLDER = r"(?:(?:sub)?(?:folder|directory|package|tree)|dir)"
_PLACE = re.compile(rf"""\b(?P<how>under|below|beneath|underneath|inside|within|throughout|across|from|in|of)\s+
    (?:(?:the|our|my|your)\s+)?(?P<before>{_FOLDER}\s+)?(?:(?:called|named)\s+)?
    (?P<name>⟦\d+⟧|[\w-][\w.-]*(?:/[\w.-]*)*)(?P<after>\s+{_FOLDER}\b)?""", re.X | re.I)
_THE_FOLDER = re.compile(rf"\bthe\s+([\w-]+)\s+{_FOLDER}\b", re.I)
_SURE = frozenset("under below beneath underneath inside within throughout".split())
_LIKELY = frozenset("in across from".split())
_NO_FOLDER = frozenset("""a addition advance all alphabetical any batches beginning brief case code codebase classes
    course csv current detail each entire every everything file files folder front full functions general here it its
    json line lines log logs markdown memory module modules my now one order our parallel particular place project
    python repo repository root scratch sequence short single some source sources start such sum text that the their
    them there these this those top total turn what which whole words work workspace your""".split())
_NAMED_FOLDER = re.compile(r"(?<![\w/.*-])[\w.-]+/(?:[\w.-]+/)*(?![\w.*-])")
_MORE = re.compile(r"[\w./-]+(?P<more>(?:, [\w-]+)*,? (?:and|or) [\w-]+)/?(?=[.;:?!]?(?:\s*\Z|\s[A-Z]))")
_ENDINGS = "py|md|rst|txt|csv|json|log|toml|ya?ml|cfg|ini|html|js|ts|sh"
_PATH = re.compile(rf"(?<![\w*/.-])[\w-][\w./-]*\.(?:{_ENDINGS})(?![\w*/])", re.I)
_ENDING = re.compile(rf"(?<![\w/.])\*?(\.(?:{_ENDINGS}))(?![\w/])", re.I)
_KINDS = {".py": phrases("python, module, modules, script, scripts, source file, source files, sources"),
          ".md": phrases("markdown"), ".csv": phrases("csv"), ".json": phrases("json"),
          ".log": phrases("log, logs, log file, log files, logfiles"), ".txt": phrases("text file, text files")}


def files_meant(text, quoted, skip):
    """The `Files` of a text out of which the rules were taken, with the patterns that they left out.

    >>> files_meant("Count the lines of every CSV file below the data folder", (), ())
    Files(folders=('data',), suffix='.csv', skip=(), paths=())
    """
    places = [(match.start("name"), shown(match["name"], quoted))
              for match in _PLACE.finditer(text) if _is_folder(match)]
    places += [(match.start(), match[0]) for match in _NAMED_FOLDER.finditer(text)]
    places += [(match.start(), match[1]) for match in _THE_FOLDER.finditer(text) if match[1].lower() not in _NO_FOLDER]
    places += [(start, name) for at, _ in list(places) for start, name in _listed_with(text, at)]
    folders = dict.fromkeys(name.rstrip("./") for _, name in sorted(places) if name.rstrip("./"))
    paths = dict.fromkeys(match[0] for match in _PATH.finditer(text))
    kind = next((ending for ending, words in _KINDS.items() if says(text, words)), "")
    if match := _ENDING.search(text):
        kind = match[1].lower()
    return Files(tuple(folders) or (".",), kind, skip, tuple(paths))


def names_files(text, files):
    """Whether a text says which files it means."""
    return bool(files.paths or files.suffix or files.folders != (".",)
                or any(says(text, words) for words in (FILES, HERE, EVERYWHERE)))


def _listed_with(text, at):
    """The folders that follow a folder in a list: `in agents, core and tools.`"""
    match = _MORE.match(text, at)
    return [(more.start(), more[0]) for more in re.compile(r"[\w-]+").finditer(text, *match.span("more"))
            if more[0].lower() not in ("and", "or")] if match else []


def _is_folder(match):
    name, how = match["name"].rstrip("."), match["how"].lower()
    if name.lower() in _NO_FOLDER or _PATH.fullmatch(name):
        return False
    if match["before"] or match["after"] or "/" in name or how in _SURE:
        return True
    return how in _LIKELY and not HIDDEN.fullmatch(name)
