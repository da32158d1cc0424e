"""Find every error in PTX files.

Each error is printed with its location, the operand and its declared type, what the instruction expects, the rule,
and what to write instead. `-` reads stdin; a folder stands for every *.ptx file in it. The exit status is 1 if there
is an error.

--fix writes the safe fixes into the files and reports the remaining errors. With --unsafe-fixes it also applies
suggestions, such as the nearest name. For stdin it prints the fixed text on stdout and the report on stderr. --diff
shows the changes and writes nothing; the exit status is 1 if there are any.

Files without findings are cached by content and options and not checked again; --no-cache checks every file.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from openptx.cli.exit_status import CLEAN
from openptx.cli.files import STDIN, expand
from openptx.cli.verdicts import Verdicts
from openptx.reading import LIMIT

FORMATS = ("full", "concise", "json", "sarif", "github")
SILENT = ("full", "concise", "github")
"""Formats in which an empty report is a list without findings."""


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx check`."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="a PTX file, a folder, or - for stdin")
    add("--target", metavar="SM", help="check for this target, such as sm_90a (default: the file's .target)")
    add(
        "--profile",
        choices=("ptxas", "isa"),
        default="ptxas",
        help="accept what NVIDIA's assembler accepts (ptxas, the default), or what the PTX manual allows (isa)",
    )
    add("--output-format", choices=FORMATS, default="full", help="full (default), concise, json, sarif or github")
    select, extend = "report only these codes: PTX0312, PTX03 or a name", "report these codes, too: unused, deprecated"
    add("--select", metavar="CODE", action="append", default=[], help=select)
    add("--extend-select", metavar="CODE", action="append", default=[], help=extend)
    add("--ignore", metavar="CODE", action="append", default=[], help="do not report these codes")
    add("--fix", action="store_true", help="write the safe fixes into the files")
    add("--unsafe-fixes", action="store_true", help="with --fix or --diff: apply suggestions, too")
    add("--diff", action="store_true", help="show what --fix would change as a unified diff, and write nothing")
    add(
        "--max-errors",
        metavar="N",
        type=count,
        help="print at most N errors and N warnings, 0: all (default: 100; all in json, sarif and github)",
    )
    add("--jobs", metavar="N", type=count, help="use at most N processes (default: the number of processors)")
    add("--no-cache", action="store_true", help="check every file, even if it was found clean before")
    add("--statistics", action="store_true", help="print the number of findings of each code, most frequent first")


def run(args: Namespace) -> int:
    """Checks all files, prints the findings. The checker is imported only if a file has to be checked."""
    paths = expand(args.files)
    plain = not (args.select or args.ignore or args.extend_select or args.fix or args.diff)
    verdicts = Verdicts(args.target, args.profile) if plain and not args.no_cache else None
    unknown = [path for path in paths if path == STDIN or not (verdicts and verdicts.is_clean(path, LIMIT))]
    if verdicts is not None and paths and not unknown and args.output_format in SILENT and not args.statistics:
        if args.output_format == "full":
            print("All checks passed.")
        return CLEAN
    from openptx.cli.checking import check_files

    return check_files(args, paths, unknown, verdicts)


def count(text: str) -> int:
    """A number from the command line that is not negative."""
    from argparse import ArgumentTypeError  # loaded by then

    if not text.strip().isdigit():
        raise ArgumentTypeError(f"a whole number from 0, not {text.strip()}")
    return int(text)
