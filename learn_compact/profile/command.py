"""`python -m learn_compact profile`: a conversation of this machine, as text, JSON or one HTML file."""

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
    """Profiles the conversation that the arguments name; without one, lists those that are there."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.path and chosen.latest:
        parser.error("a PATH and --latest name two conversations: give one of them")
    if not (chosen.path or chosen.latest):
        if chosen.mask or chosen.json or chosen.html or chosen.policy or chosen.price:  # a list can't be masked
            parser.error("these options need a conversation: name a PATH or --latest")
        return _list()
    conversation = _conversation(_newest() if chosen.latest else chosen.path)
    found = profile(conversation, chosen.policy or tuple(POLICIES), _progress("segments"))
    if chosen.mask:
        found = masked(found)
    if chosen.html:
        _write(chosen.html, found, chosen.price)
    if chosen.json:
        print(json.dumps(asdict(found), indent=1, allow_nan=False))
    elif not chosen.html:
        from learn_compact.profile.text import text  # late: JSON needs no tables

        print(printable(text(found, chosen.price)))


def _parser():
    parser = argparse.ArgumentParser(
        "python -m learn_compact profile", description="What filled the window of a conversation, what it cost, and "
        "what another policy would have done. Nothing leaves this machine.")
    parser.add_argument("path", nargs="?", metavar="PATH", help="a conversation (a log of Claude Code, messages as "
                        "JSON, ...) or the name of an outline; without one, Claude Code's newest are listed")
    parser.add_argument("--latest", action="store_true", help="the newest conversation of Claude Code")
    parser.add_argument("--policy", action="append", choices=POLICIES, help="replay this policy; may be given again "
                        f"(default: {', '.join(POLICIES)})")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write one self-contained HTML file")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--mask", action="store_true", help="leave out names, paths, keys and words; the figures stay")
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


def _conversation(path):
    return load_outline(path) if path in outline_names() else load(path, _progress("bytes"))


def _newest():
    found = find()
    if not found:
        raise ConversationError("There is no conversation of Claude Code on this machine. Give the PATH of a file.")
    return found[0].path


def _list():
    """The newest conversations, a line each."""
    found = find()
    for one in found[:LISTED]:
        print(printable(f"{one.at:%Y-%m-%d %H:%M}  {one.size / 1e6:7.1f} MB  {one.path}\n    {one.title}"))
    print("Profile one with its path, or the newest with --latest." if found else
          "There is no conversation of Claude Code on this machine. Give the PATH of a file, or the name of an outline "
          f"such as {outline_names()[0]}.")


def _progress(unit):
    """A line at a terminal that says how far the work is; nothing where stderr is no terminal."""
    def told(done, whole):
        print(f"\r{done:,} of {whole:,} {unit}", end="\n" if done >= whole else "", file=sys.stderr, flush=True)
    return told if sys.stderr.isatty() else None


def _write(path, found, price):
    from learn_compact.profile.html import html  # late: it brings the pictures

    path = path.expanduser()
    try:
        files.write_new(path.parent, [path.name], html(found, price).encode(), replace=True)
    except OSError as error:
        raise ConversationError(f"{path} can't be written: {error.strerror or error}. Name another file.") from error
    print(f"{path} is written. It needs nothing from outside.", file=sys.stderr)
