"""First, second and hundredth launch with an empty code cache: the reference engine, compiled code, and `auto`.

    python bench/tiers.py [KERNEL ...]

Kernels are folders of tests/kernels, or `flash_attention`, Triton's with tiles of f16, 4 CTAs of it. Each runs in a
process of its own for each engine, which has launched a small kernel before, so that imports do not count. Seconds on
the clock: launches compete with the compile server where processors are few. `ready` is when compiled code first ran.
`auto / best` is the first launch of `auto` against the faster of the other two, in the same run of this program.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import openptx
from openptx.testing.case import argument, compare_buffers, read_case

ROOT = Path(__file__).parents[1]
KERNELS = ROOT / "tests" / "kernels"
FLASH = ROOT / "tests" / "corpus" / "ptx" / "triton_flash_attention_sm_90.ptx"
CHOSEN = (
    "flash_attention", "triton_matmul_sm80", "triton_described_matmul_sm90", "triton_scaled_products_sm100",
    "triton_layer_norm_rows_sm80", "triton_softmax_rows_sm90", "triton_sort_block_sm80", "attention_sm80",
    "radix_pairs_sm80", "merge_wide_sm80", "grid_scan_sm80", "quicksort_sm80", "mma_f16_sm80", "sha256_sm80",
)  # fmt: skip
ENGINES = ("interp", "native", "auto")
LAUNCHES = 100
SMALL = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"


class FirstCode(logging.Handler):
    """When compiled code first took over, by the log."""

    def __init__(self) -> None:
        super().__init__()
        self.at = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        if "was made in" in record.getMessage():
            self.at = self.at or time.perf_counter()


def launcher(name: str) -> Callable[[str], None]:
    """What launches a kernel on an engine, and compares what it gives where there is something to compare with."""
    if name == "flash_attention":
        r = np.random.default_rng(0)
        q, k, v = (r.standard_normal((1, 256, 64)).astype(np.float16) for _ in range(3))
        out = np.zeros_like(q)
        kernel = openptx.load(FLASH)["flash_attention"]
        args = (q, k, v, out, 256 * 64, 256, 0.125, None, None)
        return lambda engine: kernel(4, 128, args, engine=engine, shared_mem=160 << 10)
    case = read_case(str(KERNELS / name))
    kernel = openptx.load(KERNELS / name / "kernel.ptx")[case.kernel]

    def run(engine: str) -> None:
        given = [argument(case, each) for each in case.params]
        kernel(case.grid, case.block, given, shared_mem=case.shared, engine=engine)
        assert not compare_buffers(case, given)

    return run


def measured(name: str, engine: str) -> dict[str, Any]:
    """Of one process: seconds of launches, of all of them, and until code was there."""
    logger, handler = logging.getLogger("openptx"), FirstCode()
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    openptx.load(SMALL)["k"](1, 32, engine=engine)
    run, begun, times = launcher(name), time.perf_counter(), list[float]()
    for _ in range(LAUNCHES):
        start = time.perf_counter()
        run(engine)
        times.append(time.perf_counter() - start)
    return {"times": times, "ready": handler.at - begun if handler.at else None}


def in_a_process(name: str, engine: str, python: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "OPENPTX_CACHE": folder, "PYTHONPYCACHEPREFIX": python}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, __file__, "--measure", name, engine]
        return json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", default=CHOSEN)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    kernels = parser.parse_args()
    if kernels.measure:
        print(json.dumps(measured(*kernels.kernels)))
        return
    print(f"{'':28}    interp s         native s            auto s")
    print(f"{'kernel':28}  first     all   first     all   first  second     all  ready  100th ms  auto / best")
    with (
        tempfile.TemporaryDirectory() as python
    ):  # where compiled Python lies, as after an installation's first program
        in_a_process("sha256_sm80", "auto", python)
        table(kernels.kernels, python)


def table(names: Sequence[str], python: str) -> None:
    ratios: list[float] = []
    for name in names:
        found = {engine: in_a_process(name, engine, python) for engine in ENGINES}
        interp, native, auto = (found[engine]["times"] for engine in ENGINES)
        ready = found["auto"]["ready"]
        print(
            f"{name:28} {interp[0]:6.3f} {sum(interp):7.2f}  {native[0]:6.2f} {sum(native):7.2f}  {auto[0]:6.3f}"
            f" {auto[1]:7.3f} {sum(auto):7.2f} {ready or 0:6.2f} {auto[-1] * 1e3:9.2f}"
            f" {auto[0] / min(interp[0], native[0]):12.2f}",
            flush=True,
        )
        ratios.append(auto[0] / min(interp[0], native[0]))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{'geometric mean of':28} auto / best {mean:.2f}")


if __name__ == "__main__":
    main()
