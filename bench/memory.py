"""Peak memory of launches compared with their arrays, each in a separate process.

    python bench/memory.py [--megabytes 256]

Prints, for kernels of bench/native/kernels.cu, the bytes of their arrays, and how much the process's peak grew by the
launches beyond it, with compiled code made before (on disk) and on the reference engine.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import openptx

KERNELS = Path(__file__).parent / "native" / "kernels.ptx"
BLOCK = 256
MIB = 1 << 20


def launches(name: str, size: int) -> tuple[Any, Any, tuple[Any, ...]]:
    """Grid, block and arguments with arrays of `size` bytes in sum, all pages touched."""
    n = size // 8
    if name == "saxpy":
        return n // BLOCK, BLOCK, (n, 2.0, np.ones(n, np.float32), np.ones(n, np.float32))
    if name == "scan":
        n = n // 1024 * 1024
        return n // 1024, 1024, (np.ones(n, np.uint32), np.ones(n, np.uint32))
    if name == "softmax":
        rows = n // 1024
        return rows, BLOCK, (np.ones((rows, 1024), np.float32), np.ones((rows, 1024), np.float32), 1024)
    side = int((size / 8) ** 0.5) // 32 * 32
    return (
        (side // 32, side // 32),
        (32, 8),
        (np.ones((side, side), np.float32), np.ones((side, side), np.float32), side),
    )


def peak() -> float:
    """MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str, engine: str, size: int, workers: int) -> None:
    kernel = openptx.load(KERNELS.read_text())[name]
    grid, block, args = launches(name, size)
    before = peak()
    for _ in range(2):
        kernel(grid, block, args, engine=engine, workers=workers)
    print(sum(a.nbytes for a in args if isinstance(a, np.ndarray)) / MIB, peak() - before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=256, help="of the larger of two launches; the other has 16")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        name, engine, size, workers = options.measure
        measure(name, engine, int(size), int(workers))
        return
    print(f"{'kernel':10} {'engine':7} {'workers':>7} {'arrays MiB':>11} {'beyond MiB':>11}")
    for name in ("saxpy", "scan", "softmax", "transpose"):
        for engine, workers in (("native", 1), ("native", 2), ("interp", 1)):
            for megabytes in (16, options.megabytes if engine == "native" else 64):
                command = [sys.executable, __file__, "--measure", name, engine, str(megabytes * MIB), str(workers)]
                subprocess.run(command, check=True, capture_output=True)  # code is on disk from now on
                arrays, more = map(float, subprocess.check_output(command, text=True).split())
                print(f"{name:10} {engine:7} {workers:7} {arrays:11.0f} {more:11.1f}", flush=True)


if __name__ == "__main__":
    main()
