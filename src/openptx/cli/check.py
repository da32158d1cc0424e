"""Find every error in PTX files.

Each error is printed with its place, the operand, its declared type, what the instruction wants, the rule and what to
write instead. `-` is stdin; a folder means every *.ptx in it. The exit status is 1 when there is an error.

--fix writes the safe fixes into the files and reports what is left; --unsafe-fixes adds suggestions, such as the
nearest name. Of stdin it prints the fixed text, and reports on stderr. --diff shows the changes and writes nothing;
the exit status is 1 when there are any.

A file in which nothing was found is remembered, by its content and the options, and not checked again; --no-cache
checks every file.
"""

from __future__ import annotations

from openptx.cli.exit_status import CLEAN
from openptx.cli.files import STDIN, expand
from openptx.cli.verdicts import Verdicts
from openptx.reading import LIMIT

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

FORMATS = ("full", "concise", "json", "sarif", "github")
SILENT = ("full", "concise", "github")
"""Formats in which an empty report is a list without findings."""


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx check`."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="a PTX file, a folder, or - for stdin")
    add("--target", metavar="SM", help="check for this target instead of the file's own, such as sm_90a")
    add("--profile", choices=("ptxas", "isa"), default="ptxas", help="agree with NVIDIA's assembler, or the document")
    add("--output-format", choices=FORMATS, default="full", help="full (default), concise, json, sarif or github")
    add("--select", metavar="CODE", action="append", default=[], help="report these codes only: PTX0312, PTX03, a name")
    add("--extend-select", metavar="CODE", action="append", default=[], help="report these as well: unused, deprecated")
    add("--ignore", metavar="CODE", action="append", default=[], help="leave these codes out")
    add("--fix", action="store_true", help="apply the safe fixes")
    add("--unsafe-fixes", action="store_true", help="with --fix or --diff: apply suggestions as well")
    add("--diff", action="store_true", help="show what --fix would change, as a unified diff, and write nothing")
    add(
        "--max-errors",
        metavar="N",
        type=count,
        help="print N errors and N warnings at most, 0 for all (a hundred; in json, sarif and github all)",
    )
    add("--jobs", metavar="N", type=count, help="check with N processes at most (as many as there are processors)")
    add("--no-cache", action="store_true", help="check files again in which nothing was found before")
    add("--statistics", action="store_true", help="print how often each code occurs, the most frequent first")


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
    """A number of findings from the command line."""
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value
