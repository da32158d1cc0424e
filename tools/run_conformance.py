"""Runs test suites of other projects from checkouts: python tools/run_conformance.py zluda=PATH ptx_tests=PATH ...

Prints each case that did not agree, with the reason where one is on record (tools/conformance/reasons.toml).
The exit status is 1 where one has none. docs/testing.md says what the suites are.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

SUITES = ("zluda", "ptx_tests", "gpuocelot", "triton", "cuda_python")


def main() -> int:
    given = (argument.partition("=") for argument in sys.argv[1:])
    asked = {suite: path for suite, _, path in given if path}
    if not asked or not asked.keys() <= set(SUITES):
        print(f"name a checkout: make conformance {' '.join(f'{s.upper()}=PATH' for s in SUITES)}", file=sys.stderr)
        return 2
    unexplained = 0
    for suite, path in asked.items():
        checkout = Path(path).expanduser()
        if not checkout.is_dir():
            print(f"{suite}: there is no folder {checkout}", file=sys.stderr)
            return 2
        report = import_module("conformance.outcome").report
        unexplained += report(suite, import_module(f"conformance.{suite}").run(checkout))
    return min(unexplained, 1)


if __name__ == "__main__":
    sys.exit(main())
