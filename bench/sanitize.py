"""The overhead of the sanitizer: kernels plain and sanitized, as machine code and on the interpreter.

    python bench/sanitize.py [--only NAME,...] [--reference] [--empty] [--runs N]

Prints milliseconds of this process's CPU time, with one worker, and in brackets the ratio to the unwatched run; runs
alternate; the shortest of each counts. `doubt`: the native run did not clear the kernel, so its time is that of both
engines. `--reference` measures the reference engine, on smaller launches.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import openptx
from openptx.sanitize.entry import watch
from openptx.sanitize.options import Options

HERE = Path(__file__).parent / "native"
random = np.random.default_rng(7)
undefined_outputs = False
"""Whether arrays that kernels only write come from `openptx.empty`."""
TOOLS = ("race", "init", "sync", "mem", "race,init,sync,mem")
REFERENCE = ("race", "init", "sync", "mem", "race,init,sync,mem")

Launch = tuple[Any, Any, tuple[Any, ...]]


def f32(*shape: int) -> Any:
    return random.standard_normal(shape, np.float32)


def u32(high: int, *shape: int) -> Any:
    return random.integers(0, high, shape, np.uint32)


def out(*shape: int, dtype: Any = np.float32) -> Any:
    """An array that a kernel writes."""
    return openptx.empty(shape, dtype) if undefined_outputs else np.zeros(shape, dtype)


def launches(n: int) -> dict[str, Callable[[], Launch]]:
    """Grid, block and arguments of each kernel; `n`: the size, from 1."""
    m, side = n << 18, 64 * n
    return {
        "saxpy": lambda: (m // 256, 256, (m, 1e-3, f32(m), f32(m))),
        "mandelbrot": lambda: ((side // 32, side // 8), (32, 8), (out(side, side, dtype=np.int32), side, 256)),
        "matmul": lambda: (
            (side // 16, side // 16), (16, 16), (f32(side, side), f32(side, side), out(side, side), side)),
        "sum_shared": lambda: (8 * n, 256, (f32(4 * m), out(8 * n), 4 * m)),
        "sum_shuffle": lambda: (8 * n, 256, (f32(4 * m), out(8 * n), 4 * m)),
        "xorshift": lambda: (32 * n, 256, (u32(1 << 32, 8192 * n), 400)),
        "histogram": lambda: (m // 256, 256, (random.integers(0, 256, m, np.uint8), np.zeros(256, np.uint32), m)),
        "scan": lambda: (m // 1024, 1024, (u32(100, m), out(m, dtype=np.uint32))),
        "transpose": lambda: ((4 * n, 4 * n), (32, 8), (f32(128 * n, 128 * n), out(128 * n, 128 * n), 128 * n)),
        "sha256": lambda: (32 * n, 256, (u32(1 << 32, 16, 8192 * n), out(8, 8192 * n, dtype=np.uint32), 8192 * n)),
        "nbody": lambda: (4 * n, 128, (f32(512 * n, 4), out(512 * n, 3), 512 * n)),
        "softmax": lambda: (256 * n, 256, (f32(256 * n, 1024), out(256 * n, 1024), 1024)),
        "layer_norm": lambda: (
            128 * n, 256, (f32(1024 * n, 1024), f32(1024), f32(1024), out(1024 * n, 1024), 1024)),
    }  # fmt: skip


def undefine(args: tuple[Any, ...]) -> None:
    """Arrays of `openptx.empty` begin undefined again."""
    for a in args:
        if (bits := getattr(a, "undefined", None)) is not None:
            bits[:] = 255


def timed(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return (time.process_time() - start) * 1e3


def row(kernel: Any, launch: Launch, engine: str, tools: tuple[str, ...], runs: int) -> list[str]:
    """The plain run's milliseconds, and those of the tools with their ratios."""
    grid, block, args = launch
    doubts: dict[str, bool] = {}

    def watched(names: str) -> None:
        report = watch(kernel, grid, block, list(args), Options(frozenset(names.split(",")), engine=engine))
        doubts[names] = engine == "native" and bool(report.reason)

    plain: list[float] = []
    others: dict[str, list[float]] = {names: [] for names in tools}
    workers = 1 if engine == "native" else None
    kernel(grid, block, args, engine=engine, workers=workers)
    for names in tools:
        watched(names)
    for _ in range(runs):
        plain.append(timed(lambda: kernel(grid, block, args, engine=engine, workers=workers)))
        for names in tools:
            undefine(args)
            others[names].append(timed(lambda names=names: watched(names)))
    best = min(plain)
    cells = [f"{min(times):.1f} (x{min(times) / best:.1f})" + " doubt" * doubts[n] for n, times in others.items()]
    return [f"{best:.2f}", *cells]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of kernels, with commas between")
    parser.add_argument("--reference", action="store_true", help="measure the reference engine, on small launches")
    parser.add_argument("--size", type=int, default=0, help="of launches, from 1; else 16, for the reference engine 1")
    parser.add_argument("--empty", action="store_true", help="outputs begin undefined")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    global undefined_outputs
    undefined_outputs = options.empty
    engine, tools = ("interp", REFERENCE) if options.reference else ("native", TOOLS)
    module = openptx.load((HERE / "kernels.ptx").read_text())
    print(f"| kernel | {engine} |", " | ".join(tools), "|")
    for name, make in launches(options.size or (1 if options.reference else 16)).items():
        if options.only and name not in options.only.split(","):
            continue
        print(f"| {name} |", " | ".join(row(module[name], make(), engine, tools, options.runs)), "|", flush=True)


if __name__ == "__main__":
    sys.exit(main())
