"""First, second and hundredth launch with an empty code cache: the reference engine, compiled code, and `auto`.

    python bench/tiers.py [KERNEL ...]

Kernels are folders of tests/kernels, files that `openptx.record` has written, `flash_attention`, Triton's with tiles of
f16, 4 CTAs of it, or `cub_sort`, `cub_scan` and `cub_reduce` of bench/native/cub.cu (NVRTC, sm_80). Each runs in
a process of its own for each engine, which has launched a small kernel before, so that imports do not count.
Milliseconds of the processor, of the process that launches and of those that it waits for: a busy machine changes them
little, and what a fork or a server makes meanwhile on another processor is not in it. `on the clock` is the same ratio
by the clock, in which they compete with the launch where processors are few. `ready` is when compiled code first ran,
in seconds. `auto / best` is the first launch of `auto` against the faster of the other two, in the same run of this
program.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import openptx
from openptx.recording.file import read_recording
from openptx.recording.restore import restore
from openptx.testing.case import argument, compare_buffers, read_case

ROOT = Path(__file__).parents[1]
KERNELS = ROOT / "tests" / "kernels"
FLASH = ROOT / "tests" / "corpus" / "ptx" / "triton_flash_attention_sm_90.ptx"
CHOSEN = (
    "flash_attention", "triton_matmul_sm80", "triton_described_matmul_sm90", "triton_scaled_products_sm100",
    "triton_layer_norm_rows_sm80", "triton_softmax_rows_sm90", "triton_sort_block_sm80", "triton_histogram_sm80",
    "triton_prefix_sum_sm80", "triton_row_arg_max_sm80", "triton_transpose_sm80", "triton_vector_add_sm80",
    "cub_sort", "cub_scan", "cub_reduce", "radix_pairs_sm80", "merge_wide_sm80",
    "attention_sm80", "grid_scan_sm80", "quicksort_sm80", "mma_f16_sm80", "sha256_sm80",
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


def processor_seconds(engine: str) -> float:
    """What this process has had of the processor. Compiled code waits for processes that compile large texts, so those
    count; what makes code for `auto` meanwhile does not."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + (children.ru_utime + children.ru_stime if engine == "native" else 0.0)


def launcher(name: str) -> Callable[[str], None]:
    """What launches a kernel on an engine, and compares what it gives where there is something to compare with."""
    if name == "flash_attention":
        r = np.random.default_rng(0)
        q, k, v = (r.standard_normal((1, 256, 64)).astype(np.float16) for _ in range(3))
        out = np.zeros_like(q)
        kernel = openptx.load(FLASH)["flash_attention"]
        args = (q, k, v, out, 256 * 64, 256, 0.125, None, None)
        return lambda engine: kernel(4, 128, args, engine=engine, shared_mem=160 << 10)
    if name.endswith(".launch"):
        return recorded(name)
    if name.startswith("cub_"):
        return collective(name)
    case = read_case(str(KERNELS / name))
    kernel = openptx.load(KERNELS / name / "kernel.ptx")[case.kernel]

    def run(engine: str) -> None:
        given = [argument(case, each) for each in case.params]
        kernel(case.grid, case.block, given, shared_mem=case.shared, engine=engine)
        assert not compare_buffers(case, given)

    return run


def recorded(path: str) -> Callable[[str], None]:
    recording = read_recording(path)
    assert recording.ptx is not None
    launch = restore(recording, openptx.load(recording.ptx, target=recording.target or None).program)
    options: dict[str, Any] = {"shared_mem": recording.shared, "cluster": recording.cluster or None}

    def run(engine: str) -> None:
        for restored in launch.regions:
            restored.data[:] = restored.region.before
        launch.kernel(recording.grid, recording.block, launch.arguments, engine=engine, **options)

    return run


def collective(name: str) -> Callable[[str], None]:
    """A kernel of bench/native/cub.cu on 64 tiles of 1,024 elements."""
    kernel = openptx.load(ROOT / "bench" / "native" / "cub.ptx")[name]
    r = np.random.default_rng(0)

    def run(engine: str) -> None:
        x = r.integers(0, 1000, (64, 1024))
        if name == "cub_sort":
            given = [x.astype(np.uint32)]
        elif name == "cub_scan":
            given = [x.astype(np.int32), np.zeros(x.shape, np.int32)]
        else:
            given = [x.astype(np.float32), np.zeros(64, np.float32)]
        kernel(64, 128, given, engine=engine)
        wanted = {"cub_sort": np.sort, "cub_scan": np.cumsum, "cub_reduce": np.sum}[name](x, axis=1)
        assert np.array_equal(given[-1], wanted)

    return run


def measured(name: str, engine: str) -> dict[str, Any]:
    """Of one process: seconds of launches, of all of them, and until code was there."""
    logger, handler = logging.getLogger("openptx"), FirstCode()
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    openptx.load(SMALL)["k"](1, 32, engine=engine)
    run, begun = launcher(name), time.perf_counter()
    times, clock = list[float](), list[float]()
    for _ in range(LAUNCHES):
        start, processor = time.perf_counter(), processor_seconds(engine)
        run(engine)
        times.append(processor_seconds(engine) - processor)
        clock.append(time.perf_counter() - start)
    return {"times": times, "clock": clock, "ready": handler.at - begun if handler.at else None}


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
    names = list[str](kernels.kernels)
    with tempfile.TemporaryDirectory() as folder:  # also for compiled Python, as after an installation's first program
        in_a_process("sha256_sm80", "auto", folder)
        table(names, folder)


def table(names: Sequence[str], python: str) -> None:
    print(f"{'processor ms':28} {'interp':>17} {'native':>17} {'auto':>26}")
    heads = ("first", "100th", "first", "100th", "first", "second", "100th", "ready", "auto / best", "on the clock")
    print(f"{'kernel':28}" + "".join(f"{head:>{max(9, len(head) + 2)}}" for head in heads))
    ratios: list[float] = []
    for name in names:
        found = {engine: in_a_process(name, engine, python) for engine in ENGINES}
        interp, native, auto = (found[engine]["times"] for engine in ENGINES)
        values = [interp[0], interp[-1], native[0], native[-1], auto[0], auto[1], auto[-1]]
        both = [found["auto"][by][0] / min(found[engine][by][0] for engine in ENGINES[:2]) for by in ("times", "clock")]
        print(
            f"{Path(name).stem:28}"
            + "".join(f"{value * 1e3:9.2f}" for value in values)
            + f"{found['auto']['ready'] or 0:9.2f}{both[0]:13.2f}{both[1]:14.2f}",
            flush=True,
        )
        ratios.append(both[0])
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean of auto / best {mean:.2f}, the highest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
