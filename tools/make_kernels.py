"""Builds the case folders of tests/kernels from sources/ and the cases in tools/kernels.

python tools/make_kernels.py [--only GLOB] [--source GLOB]              compiles and writes
python tools/make_kernels.py [--only GLOB] [--source GLOB] --verify     runs the sources as host C++, writes nothing
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import pkgutil
import sys
from pathlib import Path

from compilers import nvidia
from kernels.case import CASES, Case, folder_name, only, write

import kernels

ROOT = Path(__file__).resolve().parent.parent / "tests" / "kernels"
OPTIONS = ("-diag-suppress=177,550", "--device-int128")  # the other kernels of a source are unused on purpose


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="*", metavar="GLOB", help="cases by name")
    parser.add_argument("--source", default="*", metavar="GLOB", help="cases by the file that holds their kernel")
    parser.add_argument("--verify", action="store_true", help="run the sources as host C++ and compare; writes nothing")
    options = parser.parse_args()
    for module in pkgutil.iter_modules(kernels.__path__, "kernels."):
        importlib.import_module(module.name)
    chosen = [
        case
        for case in CASES.values()
        if fnmatch.fnmatch(case.name, options.only) and fnmatch.fnmatch(case.source, options.source)
    ]
    if options.verify:
        from kernels import host

        return host.verify(chosen, ROOT / "sources")
    return max([build(case, each) for case in chosen for each in case.builds], default=0)


def build(case: Case, options: str) -> int:
    """Compiles one case, has ptxas judge it, writes its folder."""
    target, *flags = options.split()
    text = only((ROOT / "sources" / case.source).read_text(), case.kernel)
    try:
        ptx = nvidia.nvrtc(text, target, (*flags, *OPTIONS), name=case.source)
    except nvidia.CompileError as error:
        print(f"{folder_name(case, options)}: {error}", file=sys.stderr)
        return 1
    # With debug information ptxas wants -G's counterpart; code generation is the whole verdict.
    status, said = nvidia.ptxas(ptx, arch=target, options=("-g",) if "-G" in flags else ())
    if status:
        print(f"{folder_name(case, options)}: ptxas {said}", file=sys.stderr)
        return 1
    root = ROOT / "broken" if "fault" in case.extra else ROOT
    write(case, options, ptx, root, nvidia.nvrtc_version())
    print(folder_name(case, options), len(ptx))
    return 0


if __name__ == "__main__":
    sys.exit(main())
