"""The commands of the package: `python -m learn_compact COMMAND`, each in a module with a `main(arguments)`."""

import argparse
import importlib
import os
import sys

from learn_compact.errors import LearnCompactError

# name: (module, what it does); a module is imported when its command is asked for.
COMMANDS = {
    "chat": ("learn_compact.chat", "an agent at a prompt, and what fills its window"),
    "profile": ("learn_compact.profile.command", "what filled the window of a conversation, and what it cost"),
    "serve": ("learn_compact.offline.serve", "a Messages API on 127.0.0.1, for any Anthropic client"),
}


def main(arguments=None):
    """Runs the command that the arguments name and returns the exit code; a failure is one sentence on stderr."""
    listed = "\n".join(f"  {name:10}{what}" for name, (_, what) in COMMANDS.items())
    parser = argparse.ArgumentParser("python -m learn_compact", usage="%(prog)s COMMAND ...",
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=f"commands:\n{listed}\n\nCOMMAND --help says more.")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    if not (sys.argv[1:] if arguments is None else arguments):
        parser.exit(2, parser.format_help())
    chosen = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # not every output has the arrow that stands in a log
    module = importlib.import_module(COMMANDS[chosen.command][0])
    try:
        code = module.main(chosen.rest) or 0
        sys.stdout.flush()
        return code
    except LearnCompactError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # there, whoever read has had enough, as `| head` has
            print(f"It was not finished, because the system refused: {error.strerror or error}.", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains at its end
        return 1


if __name__ == "__main__":
    sys.exit(main())
