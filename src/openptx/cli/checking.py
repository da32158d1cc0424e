"""The work of `openptx check` on files that have to be read: checks them, reports, fixes."""

from __future__ import annotations

import gc
import sys
from functools import partial

from openptx.api import require_options
from openptx.check import check
from openptx.check.selection import Selection
from openptx.cli.exit_status import ABNORMAL, CLEAN, FINDINGS
from openptx.cli.failures import complain
from openptx.cli.files import STDIN, load
from openptx.cli.terminal import progress, width_of
from openptx.diagnostics.most import MOST, first, left_out
from openptx.diagnostics.terminal import has_color
from openptx.errors import InputError, about_file
from openptx.late import late
from openptx.reading import encode

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator
    from typing import TextIO, TypedDict

    from openptx.cli.fix import fix_files, summary
    from openptx.cli.statistics import statistics
    from openptx.cli.verdicts import Verdicts
    from openptx.cli.workers import answers
    from openptx.diagnostics import Diagnostic
    from openptx.diagnostics.edits import is_fixable
    from openptx.diagnostics.render import render
    from openptx.source import File

    Answer = tuple[list[Diagnostic], str, bytes]

    class Options(TypedDict):
        """How files are checked."""

        target: str | None
        profile: str
        selected: frozenset[str]
else:
    fix_files = late("openptx.cli.fix", "fix_files")
    summary = late("openptx.cli.fix", "summary")
    statistics = late("openptx.cli.statistics", "statistics")
    answers = late("openptx.cli.workers", "answers")
    is_fixable = late("openptx.diagnostics.edits", "is_fixable")
    render = late("openptx.diagnostics.render", "render")


def check_files(args: Namespace, paths: list[str], unknown: list[str], verdicts: Verdicts | None) -> int:
    """Checks the files that are not known to be clean, prints the findings."""
    selection = Selection(args.select, args.ignore, args.extend_select)
    require_options(args.target, args.profile)
    gc.disable()  # checking creates no cycles worth collecting, and collection costs up to a quarter of the time
    options: Options = {"target": args.target, "profile": args.profile, "selected": selection.names}
    if args.fix or args.diff:
        return run_fix(args, paths, selection, options)
    found: list[Diagnostic] = []
    good = True
    for diagnostics, problem, digest in checked(unknown, partial(check_path, **options, verdicts=verdicts), args.jobs):
        found += [diagnostic for diagnostic in diagnostics if selection.takes(diagnostic)]
        if problem:
            complain(problem)
            good = False
        elif verdicts is not None and digest and not diagnostics:
            verdicts.add(digest)
    if verdicts is not None:
        verdicts.save()
    report(args, found, sys.stdout)
    if args.output_format == "full" and not args.statistics:
        if hint := fixable(found):
            print(hint)
        elif good and not found:
            print("All checks passed." if paths else "Nothing to check.")
    return status(found, good)


def run_fix(args: Namespace, paths: list[str], selection: Selection, options: Options) -> int:
    """Fixes all files, prints the remaining findings: on stderr if stdout has the fixed text of stdin."""

    def find(file: File) -> list[Diagnostic]:
        return [diagnostic for diagnostic in check(file, **options) if selection.takes(diagnostic)]

    found, fixed, good = fix_files(paths, find, unsafe=args.unsafe_fixes, only_show=args.diff)
    result = summary(fixed, len(found), args.diff)
    if args.diff:
        print(result, file=sys.stderr)
        return ABNORMAL if not good else FINDINGS if fixed else CLEAN
    out = sys.stderr if STDIN in paths else sys.stdout
    report(args, found, out)
    print(result, file=out if args.output_format in ("full", "concise") else sys.stderr)
    return status(found, good)


def report(args: Namespace, found: list[Diagnostic], out: TextIO) -> None:
    """Prints the findings, or how many there are of each code."""
    if args.statistics:
        out.write(statistics(found, args.output_format))
    elif found or args.output_format in ("json", "sarif"):
        for_people = args.output_format in ("full", "concise")
        shown = first(found, args.max_errors if args.max_errors is not None else MOST if for_people else 0)
        show(shown, args.output_format, out)
        if rest := left_out(found, shown):
            print(rest, file=out if for_people else sys.stderr)


def status(found: list[Diagnostic], good: bool) -> int:
    """The exit status; `good` is whether every file could be read and written."""
    if not good:
        return ABNORMAL
    return FINDINGS if any(diagnostic.severity == "error" for diagnostic in found) else CLEAN


def fixable(found: list[Diagnostic]) -> str:
    """The effect of --fix: `3 fixable with --fix, 1 more with --unsafe-fixes.`; "" for none."""
    if not found:
        return ""

    safe = sum(is_fixable(diagnostic) for diagnostic in found)
    suggested = sum(is_fixable(diagnostic, unsafe=True) for diagnostic in found) - safe
    if not suggested:
        return f"{safe:,} fixable with `--fix`." if safe else ""
    if not safe:
        return f"{suggested:,} fixable with `--fix --unsafe-fixes`."
    return f"{safe:,} fixable with `--fix`, {suggested:,} more with `--unsafe-fixes`."


def checked(paths: list[str], check: Callable[[str], Answer], jobs: int | None) -> Iterator[Answer]:
    """The findings in each file; with a progress bar and in several processes if there are many."""
    if len(paths) < 2:
        return map(check, paths)

    return progress(answers(paths, check, jobs), len(paths), "files")


def check_path(
    path: str, target: str | None, profile: str, selected: frozenset[str] = frozenset(),
    verdicts: Verdicts | None = None,
) -> Answer:  # fmt: skip
    """The findings in a file, or why it cannot be read; and the digest of its text among the verdicts."""
    try:
        file = load(path)
        found = check(file, target=target, profile=profile, selected=selected)
        keep = verdicts is not None and not found and path != STDIN
        return found, "", verdicts.digest(encode(file.text)) if verdicts is not None and keep else b""
    except (OSError, InputError) as error:
        return [], about_file(error), b""


def show(found: list[Diagnostic], format: str, out: TextIO) -> None:
    """Prints the findings in the requested format."""
    out.write(render(found, format, color=has_color(out), width=width_of(out)))
