"""Runs random kernels on the engines, in several modes, and compares every byte."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from guards import guards
from random_kernels import Kernel, reduced

from openptx.engines.native import settings
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.runtime.launch import launch as native
from openptx.errors import CheckError, Fault
from openptx.runtime.module import LoadedModule, load

# fmt: off
#                 workers, whether lane shapes are known, iterations before a loop deoptimises
MODES = {
    "two workers":  (2, True,  0),
    "one worker":   (1, True,  0),
    "gathers only": (1, False, 0),
    "deoptimised":  (2, True,  3),
}
# fmt: on

EDGES = (
    0,
    1,
    0xFFFFFFFF,
    0x80000000,
    0x7FFFFFFF,
    0x7F800000,
    0xFF800000,
    0x7FC00000,
    0x00000001,
    0x3F800000,
    0x3C003C00,
)


@dataclass(frozen=True, slots=True)
class Result:
    """The buffers that a kernel leaves, or its fault."""

    out: np.ndarray
    sums: np.ndarray
    fault: tuple[object, ...] = ()

    def differs(self, other: Result) -> str:
        """Where, in words; nothing where they are alike."""
        if self.fault or other.fault:
            return "" if self.fault == other.fault else f"faults: {self.fault or 'none'} / {other.fault or 'none'}"
        for name, a, b in (("out", self.out, other.out), ("sums", self.sums, other.sums)):
            at = np.flatnonzero(a != b)
            if at.size:
                return f"{name} at {at.size} bytes, first at {at[0]}: {a[at[0]]:#x} / {b[at[0]]:#x}"
        return ""


def planned(seed: int) -> tuple[int, tuple[str, ...]]:
    """Size and modes of one of many: compiling takes long, so most are small; every fiftieth is large, in all modes."""
    modes = tuple(MODES)
    return (8 + seed // 50 % 12, modes) if seed % 50 == 0 else (1 + seed % 6, (modes[seed // 6 % len(modes)],))


def buffers(kernel: Kernel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r = np.random.default_rng(kernel.seed)
    words = r.integers(0, 2**32, kernel.in_bytes // 4, dtype=np.uint32)
    kind = r.random(words.size)
    words = np.where(kind < 0.3, r.choice(np.array(EDGES, np.uint32), words.size), words)
    words = np.where(kind > 0.8, r.integers(0, 64, words.size, dtype=np.uint32), words)
    return words, np.zeros(kernel.out_bytes, np.uint8), np.zeros(kernel.sums_bytes, np.uint8)


def run(module: LoadedModule, kernel: Kernel, mode: str = "reference") -> Result:
    """What a kernel leaves; UnsupportedByJit where machine code cannot do it."""
    given, out, sums = buffers(kernel)
    arguments = (given, out, sums, kernel.uniform)
    try:
        if mode == "reference":
            module["k"](kernel.grid, kernel.block, arguments, engine="interp", timeout=60)
        else:
            prepared = module["k"].prepare(kernel.grid, kernel.block, arguments).within(60)
            workers, shapes, iterations = MODES[mode]
            with settings.lane_facts(shapes), settings.deoptimize_after(iterations), guards():
                native(prepared, workers=workers)
    except Fault as fault:
        return Result(out, sums, (fault.name, fault.block, fault.thread, fault.address, fault.space))
    return Result(out, sums)


def compare(kernel: Kernel, modes: tuple[str, ...]) -> tuple[str, list[str]]:
    """The first difference in words, and the modes in which machine code could not run."""
    module = load(kernel.text())
    expected = run(module, kernel)
    left_out: list[str] = []
    for mode in modes:
        try:
            found = expected.differs(run(module, kernel, mode))
        except UnsupportedByJit as reason:
            left_out.append(str(reason))
            continue
        if found:
            return f"reference / {mode}: {found}", left_out
    return "", left_out


def smallest(seed: int, size: int, modes: tuple[str, ...]) -> str:
    """The kernel of a seed that differs, made small: its text, and how to launch it."""

    def fails(kernel: Kernel) -> bool:
        try:
            return bool(compare(kernel, modes)[0])
        except CheckError:
            return False

    kernel = reduced(Kernel(seed, size), fails, 400)
    return f"// {compare(kernel, modes)[0]}\n// seed {seed}, grid {kernel.grid}, block {kernel.block}\n{kernel.text()}"
