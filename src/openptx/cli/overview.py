"""`openptx --help` and its layout, `openptx --version`, and the message about an unknown command."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser, HelpFormatter, Namespace

from openptx import __version__
from openptx.cli.commands import COMMANDS
from openptx.cli.exit_status import ABNORMAL, CLEAN
from openptx.cli.failures import complain


def overview(argv: list[str]) -> int:
    """Answer a call without a command."""
    if not argv:
        print(usage(), file=sys.stderr)
        return ABNORMAL
    if argv[0] in ("-h", "--help"):
        print(usage())
        return CLEAN
    if argv[0] in ("-V", "--version"):
        print(f"openptx {__version__}")
        return CLEAN
    return complain(f"`{argv[0]}` is not an option of `openptx`; options follow a command: `openptx check --help`")


def usage() -> str:
    """The list of commands."""
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {what}" for name, what in COMMANDS.items())
    return (
        "usage: openptx COMMAND ...\n\n"
        "Check, run and understand NVIDIA PTX on any computer, without a GPU.\n\n"
        f"commands:\n{rows}\n\n"
        "`openptx COMMAND --help` describes a command. `openptx demo` is a good start.\n"
        "Exit status: 0 success, 1 findings (error, fault, failed test), 2 could not run."
    )


def unknown_command(name: str) -> int:
    """Suggest the nearest command, or the list of all."""
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean `openptx {near[0]}`?" if near else "`openptx --help` lists the commands"
    return complain(f"no command `{name}`; {hint}")


UNKNOWN, NARROWEST, WIDEST = 80, 40, 100  # columns


class ParagraphFormatter(HelpFormatter):
    """Fills the paragraphs of a description; keeps the lines of those that are indented or have columns: examples."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        from textwrap import fill

        paragraphs = [paragraph.strip("\n") for paragraph in text.split("\n\n")]
        return "\n\n".join(p if "  " in p else fill(p, width, break_on_hyphens=False) for p in paragraphs)


def formatter(prog: str) -> HelpFormatter:
    """A formatter for argparse. It gets a width, because argparse would import shutil (2 ms) to determine one."""
    try:
        width = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError, AttributeError):  # not a terminal, or not a real file
        width = UNKNOWN
    return ParagraphFormatter(prog, width=max(min(width, WIDEST), NARROWEST) - 2)


def unrecognized(extra: list[str], args: Namespace, parser: ArgumentParser) -> str:
    """The message about arguments that a command does not take, and what may have been meant."""
    from difflib import get_close_matches

    message = f"unrecognized arguments: {' '.join(extra)}"
    if extra[0].startswith("--"):
        options = re.findall(r"--[a-z][\w-]*", parser.format_help())
        near = get_close_matches(extra[0].partition("=")[0], options, n=1)
        return f"{message}; did you mean {near[0]}?" if near else message
    if hasattr(args, "command"):
        return f"{message}; put -- before the command"
    if hasattr(args, "arg") and not extra[0].startswith("-"):
        return f"{message}; --kernel names the kernel, its arguments follow --arg"
    return message
