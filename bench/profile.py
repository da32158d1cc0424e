"""The overhead of profiling: kernels as machine code, plain and profiled.

    python bench/profile.py [--only NAME,...] [--size N] [--runs N]

Prints milliseconds of this process's CPU time with one worker: a plain launch, the launch as code that counts, all of
`openptx.profile` with its report's data, and the ratios of the latter two to the plain one. Runs alternate; the
shortest of each counts.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import openptx
from openptx.profile.counting.native import run_native
from openptx.profile.counting.recorder import Recorder

HERE = Path(__file__).parent
MATMULS = HERE.parent / "tests" / "data" / "profile" / "matmul"


def launches(size: int) -> dict[str, Any]:
    """Those of bench/sanitize.py: grid, block and arguments by name."""
    spec = importlib.util.spec_from_file_location("sanitize_launches", HERE / "sanitize.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.launches(size)


def kernels(size: int) -> dict[str, tuple[Any, Any]]:
    """A kernel and what makes its launch, by name."""
    module = openptx.load((HERE / "native" / "kernels.ptx").read_text())
    found = {name: (module[name], make) for name, make in launches(size).items()}
    module = openptx.load((MATMULS / "matmul.ptx").read_text())
    n, random = 256, np.random.default_rng(3)
    for name in module.kernels:

        def make() -> Any:
            a, b = (random.standard_normal((n, n), np.float32) for _ in range(2))
            return (n // 32, n // 32), (32, 32), (a, b, np.zeros((n, n), np.float32), n)

        found[name] = module[name], make
    return found


def timed(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return (time.process_time() - start) * 1e3


def row(kernel: Any, launch: Any, runs: int) -> list[str]:
    """Milliseconds, and ratios."""
    grid, block, args = launch

    def plain() -> None:
        kernel(grid, block, args, engine="native", workers=1)

    def counted() -> None:
        given = kernel.prepare(grid, block, args, 0, None)
        x, y, z = given.grid
        run_native(kernel, given, Recorder(), [(0, x * y * z)], 0, None, None, 1)

    def profiled() -> None:
        openptx.profile(kernel, grid, block, args, engine="native", workers=1)

    ways = plain, counted, profiled
    for way in ways:
        way()
    times = [min(each) for each in zip(*([timed(way) for way in ways] for _ in range(runs)), strict=True)]
    return [f"{ms:.2f}" for ms in times] + [f"{ms / times[0]:.1f}" for ms in times[1:]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of kernels, with commas between")
    parser.add_argument("--size", type=int, default=16, help="of launches, from 1")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print("| kernel | plain | counted | profiled | counted / plain | profiled / plain |")
    for name, (kernel, make) in kernels(options.size).items():
        if options.only and name not in options.only.split(","):
            continue
        print(f"| {name} |", " | ".join(row(kernel, make(), options.runs)), "|", flush=True)


if __name__ == "__main__":
    sys.exit(main())
