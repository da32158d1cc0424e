"""ZLUDA: the table of ptx/src/test/spirv_run/mod.rs, whose rows are a kernel's input and output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import openptx
from conformance.outcome import Outcome
from conformance.rust_arrays import array
from openptx.errors import CheckError, Fault, Unsupported

FOLDER = Path("ptx", "src", "test", "spirv_run")
SHARED = 1024
"""Bytes of dynamic shared memory that ZLUDA gives each kernel."""

WARP_THREADS = 64
SECONDS = 20.0
_ROW = re.compile(r"^test_ptx(?P<kind>_with_32|_warp)?!\((?P<rest>.*?)\);", re.M | re.S)
_ARRAY = re.compile(r"\[.*?\]", re.S)


def run(checkout: Path) -> Iterator[Outcome]:
    folder = checkout / FOLDER
    for match in _ROW.finditer((folder / "mod.rs").read_text("utf-8")):
        name, arrays = match["rest"].split(",")[0].strip(), _ARRAY.findall(match["rest"])
        if not arrays:
            continue  # only its translation to LLVM is tested
        try:
            tables = [array(text) for text in arrays]
        except ValueError as error:
            yield Outcome(name, "not run", str(error))
            continue
        yield case(name, folder / f"{name}.ptx", tables, match["kind"] == "_warp")


def case(name: str, file: Path, tables: list[NDArray[np.uint8]], warp: bool) -> Outcome:
    """One row: a warp test has no input, and its kernel takes the output twice."""
    expected = tables[-1]
    found = np.zeros(expected.size, np.uint8)
    given = (found, found) if warp else (tables[0], found)
    try:
        kernel = openptx.load(file).get_function(name)
        kernel(1, WARP_THREADS if warp else 1, given[: len(kernel.parameters)], shared_mem=SHARED, timeout=SECONDS)
    except CheckError as error:
        return Outcome(name, "refused", str(error).split("\n")[0])
    except (Fault, Unsupported) as error:
        return Outcome(name, "disagreed", str(error).split("\n")[0])
    if np.array_equal(found, expected):
        return Outcome(name, "agreed")
    return Outcome(name, "disagreed", f"{found.tobytes().hex(' ', 4)}, not {expected.tobytes().hex(' ', 4)}"[:200])
