"""`python -m learn_compact profile`: a conversation of this machine, as text, JSON, one HTML file, or a request."""

import argparse
import json
import math
import sys
from dataclasses import asdict
from pathlib import Path

from learn_compact import files
from learn_compact.agent import printable
from learn_compact.conversations import find, load
from learn_compact.data import load_outline, outline_names
from learn_compact.errors import ConversationError
from learn_compact.profile.mask import masked
from learn_compact.profile.replayed import POLICIES
from learn_compact.profile.report import profile

LISTED = 20


def main(arguments=None):
    """Does with the conversation that the arguments name what they ask for; without one, lists those that are there."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    _refuse_what_does_not_fit(parser, chosen)
    if not chosen.latest and (chosen.path is None or Path(chosen.path).expanduser().is_dir()):
        return _list(chosen.path)
    path = _newest(chosen.path) if chosen.latest else chosen.path
    _spare(path, chosen.html, chosen.export)
    conversation = load_outline(path) if path in outline_names() else _loaded(path)
    if chosen.export:
        from learn_compact.profile.export import export  # late: it brings the SDK

        print(export(conversation, chosen.policy[0], chosen.export), file=sys.stderr)
    if chosen.html or chosen.json or not chosen.export:
        _show(conversation, chosen)


def _show(conversation, chosen):
    found = profile(conversation, chosen.policy or tuple(POLICIES), _progress("requests"), window=chosen.window)
    if chosen.mask:
        found = masked(found)
    if chosen.html:
        _write(chosen.html, found, chosen.price)
    if chosen.json:
        print(json.dumps(_objects(asdict(found)), indent=1, allow_nan=False))
    elif not chosen.html:
        from learn_compact.profile.text import text  # late: JSON needs no tables

        print(printable(text(found, chosen.price)))


def _parser():
    parser = argparse.ArgumentParser(
        "python -m learn_compact profile", description="What filled the window of a conversation, what it cost, and "
        "what another policy would have done. Nothing leaves this machine.")
    parser.add_argument("path", nargs="?", metavar="PATH", help="a conversation (a log of Claude Code, messages as "
                        "JSON, ...) or the name of an outline; of a folder, and without one, the newest are listed")
    parser.add_argument("--latest", action="store_true", help="the newest conversation of Claude Code, or in the "
                        "folder PATH")
    parser.add_argument("--policy", action="append", choices=POLICIES, help="replay this policy; may be given again "
                        f"(default: {', '.join(POLICIES)})")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write one self-contained HTML file")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--export", metavar="FILE", type=Path, help="write what came after the last compaction, "
                        "compacted by the one --policy, as a request of the Messages API that a program can go on "
                        "with; what the policy moves to disk, words included, lies beside it")
    parser.add_argument("--mask", action="store_true", help="leave out names, paths, keys and words; the figures stay")
    parser.add_argument("--window", type=_tokens, metavar="N", help="tokens of the window that the policies are "
                        "replayed in (default: 200000, or a million where the log has more)")
    parser.add_argument("--price", type=_price, metavar="DOLLARS", help="of a million input tokens: tell dollars too")
    return parser


def _price(text):
    try:
        price = float(text)
    except ValueError:
        price = math.nan
    if not 0 < price < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no price: give dollars for a million input tokens, such as 3")
    return price


def _tokens(text):
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no window: give a whole number of tokens, such as 200000")
    return int(text)


def _refuse_what_does_not_fit(parser, chosen):
    wanted = (chosen.mask or chosen.json or chosen.html or chosen.policy or chosen.price or chosen.window
              or chosen.export)
    is_folder = bool(chosen.path) and Path(chosen.path).expanduser().is_dir()
    if chosen.path and chosen.latest and not is_folder:
        parser.error("a PATH and --latest name two conversations: give one of them")
    if wanted and not (chosen.path or chosen.latest):  # a list can't be masked
        parser.error("these options need a conversation: name a PATH or --latest")
    if wanted and is_folder and not chosen.latest:
        parser.error(f"these options need one conversation, and {chosen.path} is a folder: --latest takes the "
                     "newest in it, and without these options what is in it is listed")
    if chosen.export and len(set(chosen.policy or ())) != 1:
        parser.error(f"--export needs one --policy to compact by: {', '.join(POLICIES)}")
    if chosen.export and chosen.mask:
        parser.error("--export writes the words of the conversation, which --mask would take away: give one of them")


def _spare(path, *outputs):
    """Refuse to write over the conversation that is read."""
    for output in filter(None, outputs):
        if output.expanduser().resolve() == Path(path).expanduser().resolve():
            raise ConversationError(f"{output} is the conversation itself, and is not written over. Name another file.")


def _loaded(path):
    try:
        return load(path, _progress("bytes"))
    except ConversationError as error:
        if Path(path).expanduser().exists():
            raise
        raise ConversationError(f"{error} The outlines are {', '.join(outline_names())}.") from None


def _newest(folder):
    found = find(folder)
    if not found:
        raise ConversationError(f"There is no conversation of Claude Code {_where(folder)}. Give the PATH of a file.")
    return found[0].path


def _where(folder):
    return f"in {folder}" if folder else "on this machine"


def _list(folder):
    """The newest conversations in a folder, or of Claude Code, a line each."""
    found = find(folder)
    for one in found[:LISTED]:
        at = one.at.astimezone()  # as the clock of this machine shows it
        print(printable(f"{at:%Y-%m-%d %H:%M}  {_size(one.size):>8}  {one.path}\n    {one.title}"))
    if found:
        more = f"{len(found) - LISTED:,} older ones are not shown. " if len(found) > LISTED else ""
        print(f"{more}Profile one with its path" + ("." if folder else ", or the newest with --latest."))
    else:
        print(f"There is no conversation of Claude Code {_where(folder)}. Give the PATH of a file, or the name of an "
              f"outline such as {outline_names()[0]}.")


def _size(size):
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{max(size / 1e3, 0.1):.1f} kB"


def _progress(unit):
    """A line at a terminal that says how far the work is, percent by percent; nothing where stderr is no terminal."""
    last = None

    def told(done, whole):
        nonlocal last
        if last != (last := (100 * done // max(1, whole), whole)):
            print(f"\r{done:,} of {whole:,} {unit}", end="\n" if done >= whole else "", file=sys.stderr, flush=True)
    return told if sys.stderr.isatty() else None


def _write(path, found, price):
    from learn_compact.profile.html import html  # late: it brings the pictures

    path = path.expanduser()
    try:
        files.write_over(path, html(found, price).encode())
    except OSError as error:
        raise ConversationError(f"{path} can't be written: {error.strerror or error}. Name another file.") from error
    print(f"{path} is written. It needs nothing from outside.", file=sys.stderr)


def _objects(value):
    """A value with dicts in place of named tuples, so that JSON keeps their names."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: _objects(item) for key, item in value.items()}
    return [_objects(item) for item in value] if isinstance(value, list) else value
