"""Matrix products by tensor-core instructions compared with NumPy's BLAS in f32, one thread each, in one run.

    python bench/tensor_cores.py [--size 512] [--engine native] [--only mma,wgmma]

Multiplies two square matrices by `mma`, `wmma`, `wgmma` and `tcgen05` of several types, compares with NumPy's product,
and prints how many times as long it takes as BLAS takes for the same product. a and b lie in memory as the instruction
wants them (bench/native/matrices.py).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy reads them
os.environ.setdefault("OMP_NUM_THREADS", "1")

import ml_dtypes
import numpy as np

import openptx

sys.path.insert(0, str(Path(__file__).parent))
from native.matrices import KERNELS, Types

# fmt: off
#              PTX     dtype                     result  bytes
TYPES = {
    "f16":  Types("f16",  np.float16,               "f32", 2),
    "bf16": Types("bf16", ml_dtypes.bfloat16,       "f32", 2),
    "e4m3": Types("e4m3", ml_dtypes.float8_e4m3fn,  "f32", 1),
    "s8":   Types("s8",   np.int8,                  "s32", 1),
    "tf32": Types("tf32", np.float32,               "f32", 4),
}
# fmt: on
RELATIVE = {"e4m3": 2e-2}
random = np.random.default_rng(5)


def matrices(t: Types, n: int) -> tuple[Any, Any]:
    if t.result == "s32":
        return random.integers(-128, 128, (n, n), np.int8), random.integers(-128, 128, (n, n), np.int8)
    a, b = (random.standard_normal((n, n), np.float32).astype(t.dtype) for _ in "ab")
    if t.name == "tf32":
        a, b = ((v.view(np.uint32) & 0xFFFFE000).view(np.float32) for v in (a, b))
    return a, b


def best(run: Callable[[], object], seconds: float) -> float:
    """The shortest of many runs, by the process's time, so that other processes count little."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512, help="rows, columns and depth, a multiple of 128")
    parser.add_argument("--engine", default="native", choices=("native", "interp"))
    parser.add_argument("--only", default="", help="instructions, or an instruction and a type as mma.f16, with commas")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each product")
    options = parser.parse_args()
    chosen: list[str] = options.only.split(",") if options.only else []
    print(f"{'instruction':12} {'type':5} {'BLAS ms':>9} {'ours ms':>10} {'ours / BLAS':>12} {'ps / MAC':>9}")
    for instruction, kernel in KERNELS.items():
        engine = options.engine
        n = 256 if engine == "interp" else options.size
        x, y = (random.standard_normal((n, n), np.float32) for _ in "ab")
        for name, t in TYPES.items():
            if name not in kernel.types or (chosen and not {instruction, f"{instruction}.{name}"} & {*chosen}):
                continue
            a, b = matrices(t, n)
            blas = best(lambda x=x, y=y: x @ y, 0.1)
            job = kernel(t, a, b)
            module = openptx.load(job.text)
            d = np.zeros((n, n), np.int32 if t.result == "s32" else np.float32)
            arguments = (*job.arguments, d)

            def run(job: Any = job, module: Any = module, arguments: Any = arguments, engine: str = engine) -> None:
                module["product"](job.grid, job.block, arguments, engine=engine, workers=1)

            run()
            exact = a.astype(np.float64) @ b.astype(np.float64)
            limit = RELATIVE.get(name, 1e-3) * np.abs(exact).max() if t.result == "f32" else 0
            if np.abs(job.result(d) - exact).max() > limit:
                raise SystemExit(f"{instruction}.{name}: not the product")
            ours = best(run, options.seconds)
            print(
                f"{instruction:12} {name:5} {blas * 1e3:9.3f} {ours * 1e3:10.2f} {ours / blas:12.1f}"
                f" {ours / n**3 * 1e12:9.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
