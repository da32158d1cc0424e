"""Elements per second of `openptx.convert`, ml_dtypes, NumPy, and a copy in memory, in one run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from openptx.numerics.arrays import convert

COUNT = 1 << 24
REPEATS = 7

# fmt: off
#          PTX form of the result   what NumPy or ml_dtypes calls it
ROWS = (
    ("e4m3",                        ml_dtypes.float8_e4m3fn),
    ("e5m2",                        ml_dtypes.float8_e5m2),
    ("e2m3",                        ml_dtypes.float6_e2m3fn),
    ("bf16",                        ml_dtypes.bfloat16),
    ("f16",                         np.float16),
    ("e2m1x2",                      ml_dtypes.float4_e2m1fn),
    ("tf32",                        None),
    ("s32",                         None),  # NumPy does not clamp
)
# fmt: on


def best(step: Callable[[], Any]) -> float:
    """Seconds of the fastest of several runs."""
    times: list[float] = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return min(times)


def casting(values: Any, out: Any) -> Callable[[], None]:
    def step() -> None:
        with np.errstate(all="ignore"):
            np.copyto(out, values, casting="unsafe")

    return step


def main() -> None:
    values = np.random.default_rng(0).standard_normal(COUNT, np.float32)
    target = np.empty_like(values)
    copy = best(lambda: np.copyto(target, values))
    bandwidth = 2 * values.nbytes / copy
    print(f"f32 arrays of {COUNT:,} elements; copying on one thread moves {bandwidth / 1e9:.1f} GB/s")
    print(f"{'f32 to':8} {'openptx':>12} {'':>11} {'':>13} {'ml_dtypes, NumPy':>17} {'ratio':>7}")
    for to, dtype in ROWS:
        source = values.reshape(-1, 2) if to == "e2m1x2" else values
        out = convert(source, to)
        ours = best(lambda source=source, to=to, out=out: convert(source, to, out=out))
        share = (values.nbytes + out.nbytes) / ours / bandwidth
        line = f"{to:8} {COUNT / ours / 1e6:8.0f} M/s {ours / COUNT * 1e9:7.2f} ns {share:8.0%} of copy"
        if dtype is not None:
            theirs = best(casting(values, np.empty(COUNT, dtype)))
            line += f" {COUNT / theirs / 1e6:13.0f} M/s {theirs / ours:6.1f}x"
        print(line)


if __name__ == "__main__":
    main()
