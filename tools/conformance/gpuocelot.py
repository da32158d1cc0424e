"""gpuocelot: the tests of ocelot/ir/test/TestPTXAssembly.cpp, each a module, random inputs and a reference in C++.

Needs a checkout with its submodule hydrazine, a C++ compiler, and the headers of Boost (Debian: libboost-dev).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import openptx
from conformance.outcome import Outcome
from openptx.errors import CheckError, Fault, Unsupported

SOURCE = Path(__file__).with_name("gpuocelot_tests.cpp")
FLAGS = ("-std=c++11", "-w", "-fpermissive", "-fno-access-control", "-fPIC", "-O0")
PARTS = (
    "ocelot/ir/implementation/PTXOperand.cpp", "ocelot/ir/implementation/PTXInstruction.cpp",
    "ocelot/ir/implementation/Instruction.cpp",
    *(f"hydrazine/hydrazine/implementation/{name}.cpp" for name in (
        "Test", "math", "Timer", "LowLevelTimer", "ArgumentParser", "Exception", "string", "FloatingPoint",
    )),
)  # fmt: skip
SEEDS = 4
SECONDS = 20.0
RUN = "import ctypes, sys; ctypes.CDLL(sys.argv[1], mode=1).print_tests(int(sys.argv[2]))"
TYPES = ("i1", "<i2", "<i4", "<i8", "<f4", "<f8")
"""What the digits of `types` stand for."""

Test = dict[str, list[str]]


def run(checkout: Path) -> Iterator[Outcome]:
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        yield Outcome("all", "not run", "there is no C++ compiler")
        return
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "tests.so")
        root = checkout / "ocelot"
        includes = [f"-I{root}", f"-I{root / 'hydrazine'}"]
        for i, part in enumerate((SOURCE, *(root / part for part in PARTS))):
            command = [compiler, *FLAGS, *includes, "-c", str(part), "-o", str(Path(folder, f"{i}.o"))]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                errors = [line for line in done.stderr.split("\n") if "error" in line]
                yield Outcome("all", "not run", f"{part.name} does not compile: {errors[0] if errors else ''}")
                return
        objects = [str(Path(folder, f"{i}.o")) for i in range(1 + len(PARTS))]
        subprocess.run([compiler, "-shared", "-Wl,-z,lazy", *objects, "-o", str(library)], check=True)
        printed = subprocess.run(
            [sys.executable, "-c", RUN, str(library), str(SEEDS)], capture_output=True, text=True, check=True
        )
    for test in read(printed.stdout):
        yield case(test)


def read(text: str) -> Iterator[Test]:
    """The tests that the library prints."""
    test: Test = {}
    for line in text.split("\n"):
        key, _, value = line.partition(" ")
        if key == "end":
            yield test
            test = {}
        elif key:
            test.setdefault(key, []).append(value)


def case(test: Test) -> Outcome:
    name = test["name"][0]
    threads, ctas, epsilon = (int(test[key][0]) for key in ("threads", "ctas", "epsilon"))
    try:
        kernel = openptx.load(bytes.fromhex(test["ptx"][0]).decode()).get_function("test")
        for given, wanted in zip(test["in"], test["out"], strict=True):
            reference = np.frombuffer(bytes.fromhex(wanted), np.uint8)
            found = np.zeros(reference.size, np.uint8)
            args = (found, np.frombuffer(bytes.fromhex(given), np.uint8).copy())
            kernel(ctas, threads, args[: len(kernel.parameters)], timeout=SECONDS)
            at = first_difference(found, reference, test["types"][0], epsilon)
            if at is not None:
                return Outcome(
                    name,
                    "disagreed",
                    f"result {at}, input {given[:64]}: {found.tobytes().hex()[:64]}, not {wanted[:64]}",
                )
    except CheckError as error:
        return Outcome(name, "refused", str(error).split("\n")[0])
    except (Fault, Unsupported) as error:
        return Outcome(name, "disagreed", str(error).split("\n")[0])
    return Outcome(name, "agreed")


def first_difference(found: NDArray[np.uint8], reference: NDArray[np.uint8], types: str, epsilon: int) -> int | None:
    """The first result that is not the reference's; floats as gpuocelot compares them, which tells no NaN from another.

    Results follow each other without gaps for alignment, as gpuocelot reads them.
    """
    at = 0
    for i, digit in enumerate(types):
        dtype = np.dtype(TYPES[int(digit)])
        a, b = (array[at : at + dtype.itemsize].view(dtype)[0] for array in (found, reference))
        at += dtype.itemsize
        if not (close(a, b, epsilon) if dtype.kind == "f" else a == b):
            return i
    return None


def close(a: Any, b: Any, epsilon: int) -> bool:
    if np.isnan(a) and np.isnan(b):
        return True
    with np.errstate(all="ignore"):
        large = abs(a) >= (1e4 if a.dtype.itemsize == 4 else 1e15)
        difference = abs(1 - a / b) if large else abs(a - b)
    return bool(a == b or difference <= np.finfo(a.dtype).eps * 2.0**epsilon)
