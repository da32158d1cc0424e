"""Run tests: case folders (case.json, kernel.ptx, arrays) and annotated PTX files.

The comments of an annotated file say what its functions return and which lines have errors:

    // run: negate(1.0) == -1.0
    neg.u32 %r1, %r2;   //~ PTX0301

With --coverage the kernels run on the interpreter, and the lines and branches that they executed, of the PTX and of
the sources that its .loc directives name, are written in the format of lcov.

The exit status is 1 if a test failed or is malformed; a test that needs an instruction that cannot be executed yet is
reported as unsupported and does not count as failed. It is 2 for a path that does not exist or a folder without tests.
docs/testing.md describes both kinds of test.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from errno import ENOENT

from openptx.cli.exit_status import ABNORMAL, CLEAN, FINDINGS
from openptx.cli.failures import complain
from openptx.cli.files import require_names
from openptx.cli.launch_options import ENGINE, SANITIZE
from openptx.cli.saving import refuse_stdout, require_writable
from openptx.cli.terminal import progress
from openptx.diagnostics.render.summary import plural
from openptx.diagnostics.terminal import paint
from openptx.errors import InputError
from openptx.testing.discovery import find, run_test
from openptx.testing.launching import plain
from openptx.testing.result import Result
from openptx.testing.wrapper import PREFIX
from openptx.trace.coverage import Coverage

NO_TESTS = "no tests in it: no case.json, no .ptx file with `// run:` or `//~`"
STYLES = {"passed": "added", "failed": "error", "unsupported": "warning", "error": "error"}


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx test`."""
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH", help="a case folder, an annotated .ptx file, or a folder of these")
    add("--engine", choices=("auto", "interp", "native"), default="auto", help=ENGINE)
    add("--sanitize", metavar="TOOLS", nargs="?", const="all", help=f"fail cases with findings of {SANITIZE}")
    add("--coverage", metavar="FILE", help="write the executed lines and branches into a file, in the format of lcov")
    add("--output-format", choices=("full", "json"), default="full", help="a line per test (default), or a JSON list")


def run(args: Namespace) -> int:
    """Runs all tests, prints a line each and how many there were of each kind."""
    require_names(*args.paths)
    coverage = coverage_for(args)
    launch = coverage.launch if coverage is not None else plain
    named: list[str] = args.paths
    below = {path: find([path]) for path in named if os.path.exists(path)}
    missing = [path for path in named if not below.get(path)]
    for path in missing:
        complain(f"{path}: {NO_TESTS if path in below else os.strerror(ENOENT)}")
    paths = list(dict.fromkeys(test for tests in below.values() for test in tests))
    results: list[Result] = []
    if args.output_format == "json":
        results = [run_test(path, args.engine, args.sanitize, launch) for path in progress(paths, len(paths), "tests")]
        print(as_json(results))
    else:
        for path in paths:
            results.append(run_test(path, args.engine, args.sanitize, launch))
            print(line(results[-1]), flush=True)
        print(summary(results))
    if coverage is not None:
        write_coverage(args.coverage, coverage)
    if missing:
        return ABNORMAL
    return FINDINGS if any(result.status in ("failed", "error") for result in results) else CLEAN


def coverage_for(args: Namespace) -> Coverage | None:
    """The collector of the run's coverage, if requested. Raises InputError if other options need another engine."""
    if args.coverage is None:
        return None
    if args.sanitize or args.engine == "native":
        other = "--sanitize" if args.sanitize else "--engine native"
        raise InputError(f"--coverage observes launches on the reference engine; leave out {other}")
    refuse_stdout(args.coverage, "--coverage -")
    require_writable([args.coverage])
    return Coverage(ignored=PREFIX)


def write_coverage(path: str, coverage: Coverage) -> None:
    """Writes the tracefile, and reports on stderr what was covered."""
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(coverage.lcov())
    print(f"{path}: {coverage.summary()}", file=sys.stderr)


def line(result: Result) -> str:
    """One test: its status, name, time; then its errors."""
    status = paint(STYLES[result.status], f"{result.status:<11}", sys.stdout)
    below = "".join(f"\n    {text}".rstrip() for text in result.message.splitlines())
    return f"{status} {result.name} ({result.seconds:.2f} s){below}"


def summary(results: list[Result]) -> str:
    """`50 passed, 1 failed, 1 unsupported`."""
    statuses = [result.status for result in results]
    counts = [f"{statuses.count(status)} {status}" for status in ("passed", "failed", "unsupported")]
    if errors := statuses.count("error"):
        counts.append(plural(errors, "error"))
    return ", ".join(counts)


def as_json(results: list[Result]) -> str:
    """The results for tools."""
    import json

    rows = [{"name": r.name, "status": r.status, "message": r.message, "seconds": round(r.seconds, 6)} for r in results]
    return json.dumps(rows, indent=2)
