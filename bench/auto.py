"""The number of threads from which machine code is faster than the interpreter, with and without compilation.

    python bench/auto.py [--kernel NAME,...]

For kernels of bench/native and sizes from one block on: a launch of each engine, and after how many launches the
translated and compiled code has paid for itself. `engine="auto"` goes by what this prints
(engines/native/runtime/compile_time.py).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import openptx
from openptx.engines.native import settings

TEXT = (Path(__file__).parent / "native" / "kernels.ptx").read_text()
SIZES = (32, 256, 1024, 4096, 16384, 65536)


def arguments(name: str, n: int) -> tuple[Any, ...]:
    """Of a launch of n threads."""
    x, y = np.ones(n, np.float32), np.ones(n, np.float32)
    return {
        "saxpy": (n, 1.0, x, y),
        "half_axpy": (n, 0, x.astype(np.float16), y.astype(np.float16)),
        "histogram": (np.arange(n, dtype=np.uint8), np.zeros(256, np.uint32), n),
        "xorshift": (np.zeros(n, np.uint32), 10),
        "sum_shuffle": (x, np.zeros(n, np.float32), n),
    }[name]


def best(run: Callable[[], None], seconds: float = 0.1) -> float:
    """Processor time of the fastest of some runs, in seconds."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.thread_time()
        run()
        times.append(time.thread_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--kernel", default="saxpy,half_axpy,histogram,xorshift,sum_shuffle", help="with commas between"
    )
    print(f"{'kernel':12} {'threads':>8} {'interp ms':>10} {'native ms':>10} {'made in ms':>11} {'pays after':>11}")
    for name in parser.parse_args().kernel.split(","):
        for n in SIZES:
            kernel = openptx.load(TEXT)[name]
            grid, block, args = -(-n // 256), min(n, 256), arguments(name, n)

            def run(engine: str, kernel: Any = kernel, grid: int = grid, block: int = block, args: Any = args) -> None:
                kernel(grid, block, args, engine=engine, **({"workers": 1} if engine == "native" else {}))

            with settings.cache_at(None):
                start = time.thread_time()
                run("native")
                made = time.thread_time() - start
            ours, reference = best(lambda run=run: run("native")), best(lambda run=run: run("interp"))
            print(
                f"{name:12} {n:8} {reference * 1e3:10.3f} {ours * 1e3:10.3f} {made * 1e3:11.1f}"
                f" {made / max(reference - ours, 1e-9):11.1f}"
            )


if __name__ == "__main__":
    main()
