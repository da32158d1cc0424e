"""Runs the kernels' sources as host C++ and compares: a check of the expected values without a GPU."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from compilers.nvidia import include_directories

from kernels.case import Case, Out, Struct, three

HEADER = Path(__file__).with_name("cuda_host.h")
DYNAMIC = re.compile(r"extern __shared__ (?:__align__\(\d+\) )?([\w ]+?) (\w+)\[\];")
LAUNCH = """
extern "C" void host_{name}(const unsigned *g, const unsigned *b, int shared, void **arguments) {{
    host::launch({name}, dim3(g[0], g[1], g[2]), dim3(b[0], b[1], b[2]), shared, arguments);
}}
"""


def verify(cases: list[Case], sources: Path) -> int:
    """Runs each case that can run on the host; prints what differs and returns the exit status."""
    wrong = 0
    runnable = [case for case in cases if case.host and "fault" not in case.extra]
    with tempfile.TemporaryDirectory() as folder:
        kernels = {
            name: {c.kernel for c in runnable if c.source == name} for name in sorted({c.source for c in runnable})
        }
        libraries = {name: _build(sources / name, each, Path(folder)) for name, each in kernels.items()}
        for case in runnable:
            message = _run(case, libraries[case.source])
            wrong += message != ""
            print(f"{case.name}: {message or 'agrees'}", flush=True)
    return int(wrong > 0)


def _build(source: Path, kernels: set[str], folder: Path) -> ctypes.CDLL:
    text = source.read_text()
    text = DYNAMIC.sub(r"\1 *\2 = (\1 *)host::block->dynamic.data();", text)
    file, library = folder / f"{source.stem}.cpp", folder / f"{source.stem}.so"
    launches = "".join(LAUNCH.format(name=name) for name in sorted(kernels))
    file.write_text(f'#include "{HEADER}"\n#line 1 "{source}"\n{text}{launches}')
    flags = [
        "-std=c++17",
        "-O1",
        "-frounding-math",
        "-w",
        "-fPIC",
        "-shared",
        "-ffp-contract=off",
        "-fno-strict-aliasing",
        "-pthread",
    ]
    includes = [f"-I{path}" for path in include_directories()]
    subprocess.run(["g++", *flags, *includes, str(file), "-o", str(library), "-latomic"], check=True)
    return ctypes.CDLL(str(library))


def _run(case: Case, library: ctypes.CDLL) -> str:
    """The first difference, or nothing."""
    values = case.inputs()
    held: list[np.ndarray] = []
    slots: list[ctypes.Array[ctypes.c_char]] = []
    outs: list[tuple[int, Out, np.ndarray]] = []
    for index, value in enumerate(values):
        if isinstance(value, (np.generic, Struct)):
            raw = value.value.tobytes() if isinstance(value, Struct) else value.tobytes()
            slots.append(ctypes.create_string_buffer(raw, len(raw)))
            continue
        if isinstance(value, Out):
            array = np.zeros_like(value.expect) if value.init is None else value.init.copy()
            outs.append((index, value, array))
        else:
            array = np.zeros(0, np.uint8) if value is None else value.copy()
        held.append(array)
        address = (0 if value is None else array.ctypes.data).to_bytes(8, "little")
        slots.append(ctypes.create_string_buffer(address, 8))
    arguments = (ctypes.c_void_p * len(slots))(*(ctypes.addressof(slot) for slot in slots))
    sizes = ctypes.c_uint * 3
    launch = getattr(library, f"host_{case.kernel}")
    printed = _printed(lambda: launch(sizes(*three(case.grid)), sizes(*three(case.block)), case.shared, arguments))
    if printed != case.extra.get("stdout", printed):
        return f"prints {printed!r}"
    if sorted(printed.splitlines()) != sorted(case.extra.get("stdout_lines", printed.splitlines())):
        return f"prints {printed!r}"
    return next((m for m in (_difference(i, out, array) for i, out, array in outs) if m), "")


def _printed(launch: Callable[[], None]) -> str:
    """What C's printf writes during the launch."""
    sys.stdout.flush()
    with tempfile.TemporaryFile() as file:
        saved = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            launch()
            ctypes.CDLL(None).fflush(None)
        finally:
            os.dup2(saved, 1)
            os.close(saved)
        file.seek(0)
        return file.read().decode()


def _difference(index: int, out: Out, got: np.ndarray) -> str:
    expect = out.expect
    if out.rtol or out.atol:
        near = np.isclose(got.astype(float), expect.astype(float), rtol=out.rtol, atol=out.atol, equal_nan=True)
        bad = np.flatnonzero(~near)
    else:
        raw = f"u{expect.dtype.itemsize}"
        bad = np.flatnonzero(np.ascontiguousarray(got).view(raw) != np.ascontiguousarray(expect).view(raw))
    if not bad.size:
        return ""
    at = bad[0]
    return f"parameter {index}: {bad.size} differ, first [{at}] = {got.flat[at]}, expected {expect.flat[at]}"
