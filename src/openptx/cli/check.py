"""Find every error in PTX files.

Each error is printed with its place, the operand, its declared type, what the instruction wants, the rule and what to
write instead. `-` is stdin; a folder means every *.ptx in it. The exit status is 1 when there is an error.

--fix writes the safe fixes into the files and reports what is left; --unsafe-fixes adds suggestions, such as the
nearest name. Of stdin it prints the fixed text, and reports on stderr. --diff shows the changes and writes nothing;
the exit status is 1 when there are any.
"""

from __future__ import annotations

import gc
import sys
from functools import partial

from openptx.api import require_options
from openptx.check import check
from openptx.check.selection import Selection
from openptx.cli.exit_status import ABNORMAL, CLEAN, FINDINGS
from openptx.cli.failures import complain
from openptx.cli.files import STDIN, expand, load
from openptx.cli.terminal import has_color, progress, width_of
from openptx.cli.workers import answers
from openptx.diagnostics.edits import is_fixable
from openptx.diagnostics.most import MOST, first, left_out
from openptx.errors import InputError, about_file

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator
    from typing import TextIO, TypedDict

    from openptx.check.selection import Selection
    from openptx.diagnostics import Diagnostic
    from openptx.source import File

    Answer = tuple[list[Diagnostic], str]

    class Options(TypedDict):
        """How files are checked."""

        target: str | None
        profile: str
        selected: frozenset[str]


FORMATS = ("full", "concise", "json", "sarif", "github")


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
        help=f"print N errors and N warnings at most, 0 for all ({MOST}; in json, sarif and github all)",
    )
    add("--statistics", action="store_true", help="print how often each code occurs, the most frequent first")


def run(args: Namespace) -> int:
    """Check all files, print what was found."""
    selection = Selection(args.select, args.ignore, args.extend_select)
    require_options(args.target, args.profile)
    paths = expand(args.files)
    gc.disable()  # checking makes no cycles worth collecting, and collection costs up to a quarter of the time
    options: Options = {"target": args.target, "profile": args.profile, "selected": selection.names}
    if args.fix or args.diff:
        return run_fix(args, paths, selection, options)
    found: list[Diagnostic] = []
    good = True
    for diagnostics, problem in checked(paths, partial(check_path, **options)):
        found += [diagnostic for diagnostic in diagnostics if selection.takes(diagnostic)]
        if problem:
            complain(problem)
            good = False
    report(args, found, sys.stdout)
    if args.output_format == "full" and not args.statistics:
        if hint := fixable(found):
            print(hint)
        elif good and not found:
            print("All checks passed." if paths else "Nothing to check.")
    return status(found, good)


def run_fix(args: Namespace, paths: list[str], selection: Selection, options: Options) -> int:
    """Fix all files, print what is still found: on stderr where stdout has the fixed text of stdin."""
    from openptx.cli.fix import fix_files, summary

    def find(file: File) -> list[Diagnostic]:
        return [diagnostic for diagnostic in check(file, **options) if selection.takes(diagnostic)]

    found, fixed, good = fix_files(paths, find, unsafe=args.unsafe_fixes, only_show=args.diff)
    said = summary(fixed, len(found), args.diff)
    if args.diff:
        print(said, file=sys.stderr)
        return ABNORMAL if not good else FINDINGS if fixed else CLEAN
    out = sys.stderr if STDIN in paths else sys.stdout
    report(args, found, out)
    print(said, file=out if args.output_format in ("full", "concise") else sys.stderr)
    return status(found, good)


def report(args: Namespace, found: list[Diagnostic], out: TextIO) -> None:
    """Print the findings, or how many there are of each code."""
    if args.statistics:
        from openptx.cli.statistics import statistics

        out.write(statistics(found, args.output_format))
    elif found or args.output_format in ("json", "sarif"):
        for_people = args.output_format in ("full", "concise")
        shown = first(found, args.max_errors if args.max_errors is not None else MOST if for_people else 0)
        show(shown, args.output_format, out)
        if rest := left_out(found, shown):
            print(rest, file=out if for_people else sys.stderr)


def count(text: str) -> int:
    """A number of findings from the command line."""
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value


def status(found: list[Diagnostic], good: bool) -> int:
    """The exit status; `good` is whether every file could be read and written."""
    if not good:
        return ABNORMAL
    return FINDINGS if any(diagnostic.severity == "error" for diagnostic in found) else CLEAN


def fixable(found: list[Diagnostic]) -> str:
    """What --fix would do: `3 fixable with --fix, 1 more with --unsafe-fixes.`; "" for nothing."""
    if not found:
        return ""

    safe = sum(is_fixable(diagnostic) for diagnostic in found)
    suggested = sum(is_fixable(diagnostic, unsafe=True) for diagnostic in found) - safe
    if not suggested:
        return f"{safe:,} fixable with `--fix`." if safe else ""
    if not safe:
        return f"{suggested:,} fixable with `--fix --unsafe-fixes`."
    return f"{safe:,} fixable with `--fix`, {suggested:,} more with `--unsafe-fixes`."


def checked(paths: list[str], check: Callable[[str], Answer]) -> Iterator[Answer]:
    """What is said to each file; with a bar and in several processes where there are many."""
    if len(paths) < 2:
        return map(check, paths)

    return progress(answers(paths, check), len(paths), "files")


def check_path(path: str, target: str | None, profile: str, selected: frozenset[str] = frozenset()) -> Answer:
    """The findings in a file, or why it cannot be read."""
    try:
        return check(load(path), target=target, profile=profile, selected=selected), ""
    except OSError as error:
        return [], about_file(error)
    except InputError as error:
        return [], str(error)


def show(found: list[Diagnostic], format: str, out: TextIO) -> None:
    """Print the findings in the format that was asked for."""
    from openptx.diagnostics.render import render

    out.write(render(found, format, color=has_color(out), width=width_of(out)))
