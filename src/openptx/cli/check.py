"""Find every error in PTX files.

Each error is printed with its place, the operand, its declared type, what the instruction wants, the rule and what to
write instead. `-` is stdin; a folder means every *.ptx in it. The exit status is 1 when there is an error.
"""

from __future__ import annotations

import gc
import sys
from functools import partial

from openptx.cli import ABNORMAL, CLEAN, FINDINGS
from openptx.cli.failures import complain
from openptx.cli.files import expand, load
from openptx.errors import InputError, about_file

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator

    from openptx.diagnostics import Diagnostic

    Answer = tuple[list[Diagnostic], str]

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
    add("--statistics", action="store_true", help="print how often each code occurs, the most frequent first")


def run(args: Namespace) -> int:
    """Check all files, print what was found."""
    from openptx.api import require_options
    from openptx.check.selection import Selection

    selection = Selection(args.select, args.ignore, args.extend_select)
    require_options(args.target, args.profile)
    paths = expand(args.files)
    found: list[Diagnostic] = []
    good = True
    gc.disable()  # checking makes no cycles worth collecting, and collection costs up to a quarter of the time
    options = {"target": args.target, "profile": args.profile, "selected": selection.names}
    for diagnostics, problem in checked(paths, partial(check_path, **options)):
        found += [diagnostic for diagnostic in diagnostics if selection.takes(diagnostic)]
        if problem:
            complain(problem)
            good = False
    if args.statistics:
        from openptx.cli.statistics import statistics

        sys.stdout.write(statistics(found, args.output_format))
    elif found or args.output_format in ("json", "sarif"):
        show(found, args.output_format)
    elif good and args.output_format == "full":
        print("All checks passed." if paths else "Nothing to check.")
    if not good:
        return ABNORMAL
    return FINDINGS if any(diagnostic.severity == "error" for diagnostic in found) else CLEAN


def checked(paths: list[str], check: Callable[[str], Answer]) -> Iterator[Answer]:
    """What is said to each file; with a bar and in several processes where there are many."""
    if len(paths) < 2:
        return map(check, paths)
    from openptx.cli.terminal import progress
    from openptx.cli.workers import answers

    return progress(answers(paths, check), len(paths), "files")


def check_path(path: str, target: str | None, profile: str, selected: frozenset[str] = frozenset()) -> Answer:
    """The findings in a file, or why it cannot be read."""
    from openptx.check import check

    try:
        return check(load(path), target=target, profile=profile, selected=selected), ""
    except OSError as error:
        return [], about_file(error)
    except InputError as error:
        return [], str(error)


def show(found: list[Diagnostic], format: str) -> None:
    """Print the findings in the format that was asked for."""
    from openptx.cli.terminal import has_color, width_of
    from openptx.diagnostics.render import render

    sys.stdout.write(render(found, format, color=has_color(sys.stdout), width=width_of(sys.stdout)))
