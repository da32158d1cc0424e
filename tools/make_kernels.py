"""Builds the case folders of tests/kernels from sources/ and the cases in tools/kernels.

python tools/make_kernels.py [--only GLOB] [--source GLOB]              compiles and writes
python tools/make_kernels.py [--only GLOB] [--source GLOB] --verify     runs the sources as host C++, writes nothing
"""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import importlib
import math
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from compilers import nvidia
from compilers.python import python_source
from kernels.case import CASES, Case, Out, folder_name, only, three, write

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
    folder = folder_name(case, options)
    try:
        case, ptx, compiler = compile_case(case, ROOT / "sources" / case.source, options)
    except nvidia.CompileError as error:
        print(f"{folder}: {error}", file=sys.stderr)
        return 1
    # With debug information ptxas wants -G's counterpart; code generation is the whole verdict.
    status, said = nvidia.ptxas(ptx, arch=nvidia.target_of(ptx), options=("-g",) if "-G" in options else ())
    if status:
        print(f"{folder}: ptxas {said}", file=sys.stderr)
        return 1
    write(case, options, folder, ptx, ROOT / "broken" if "fault" in case.extra else ROOT, compiler)
    print(folder, len(ptx))
    return 0


def compile_case(case: Case, source: Path, options: str) -> tuple[Case, str, str]:
    """The case as the compiler completes it (entry's name, shared memory), its PTX, and the compiler's name."""
    target, *flags = options.split()
    if source.suffix == ".cu":
        text = only(source.read_text(), case.kernel)
        return case, nvidia.nvrtc(text, target, (*flags, *OPTIONS), name=source.name), nvidia.nvrtc_version()
    if source.suffix == ".ll":
        from compilers import llvm

        return case, llvm.nvptx(only_ir(source.read_text(), case.kernel), target, tuple(flags)), llvm.version()
    function = getattr(python_source(source), case.kernel)
    if source.stem == "triton_kernels":
        from compilers import triton

        constants, types = case.extra["constants"], {}
        names = [name for name in function.arg_names if name not in constants]
        for name, value in zip(names, case.inputs(), strict=True):
            array = value.expect if isinstance(value, Out) else value
            kind = {"i": "i", "u": "u", "f": "fp"}[array.dtype.kind] + str(array.dtype.itemsize * 8)
            types[name] = f"*{kind}" if array.ndim else kind
        warps = three(case.block)[0] // 32
        built = triton.compile_kernel(function, types, constants, target, warps=warps)
        scratch = np.zeros(built.scratch * math.prod(three(case.grid)), np.uint8) if built.scratch else None
        made = dataclasses.replace(case, kernel=built.entry, shared=built.shared, trailing=(scratch, None))
        return made, built.ptx, triton.version()
    from compilers import numba

    ptx, entry = numba.compile_kernel(function, numba_types(case), target)
    return dataclasses.replace(case, kernel=entry), ptx, numba.version()


def numba_types(case: Case) -> tuple[Any, ...]:
    """The numba types of the parameters: seven parameters are one array."""
    from numba import from_dtype, types

    values, found, at = case.inputs(), [], 0
    while at < len(values):
        value = values[at]
        if value is None:
            data = values[at + 4]
            array = data.expect if isinstance(data, Out) else data
            found.append(types.Array(from_dtype(array.dtype), 1, "C"))
            at += 7
        else:
            found.append(from_dtype(value.dtype))
            at += 1
    return tuple(found)


def only_ir(text: str, kernel: str) -> str:
    """The IR with the other kernels left out."""
    heads, *bodies = re.split(r"(?m)^(?=define )", text)
    return heads + "".join(body for body in bodies if f"@{kernel}(" in body.split("{")[0])


if __name__ == "__main__":
    sys.exit(main())
