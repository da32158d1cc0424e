"""Processor time of first launches, in this checkout and in another one, by turns.

    python bench/compile_time.py OTHER [--rounds N] [--later] [--engine native|auto] [KERNEL ...]

Kernels are folders of tests/kernels, or files of tests/corpus/ptx, which are launched with zeros for arguments: they
end with a fault at their first access, once their code is made. `--engine auto` leaves these out unless they are asked
for: the reference engine, on which it starts, would have that fault at once. Each launch is made by a process of its
own, forked from one that has launched small kernels before and keeps no code on disk; time includes that of its
children, and not loading the module. With `--later` that process has launched the kernel before, so what kernels share
(routines of products, outlined functions) is there, as it is on disk for all but the first kernels. The best of the
rounds counts. Prints seconds, ours / theirs, and the geometric mean of each family.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
FAMILIES = {
    "kernels": (
        "transpose_sm80", "shuffle_sum_sm80", "collatz_sm80", "block_sum_1024_sm80", "byte_histogram_sm80",
        "base64_sm80", "bitonic_sm80", "blelloch_sm80", "softmax_sm90a_fast", "chacha20_sm80", "fp8_round_trip_sm80",
        "sha256_sm80",
        "attention_sm80", "mma_f16_sm80", "wmma_loop_sm80", "singles_sm80", "quicksort_sm80", "grid_scan_sm80",
        "black_scholes_sm80", "shuffle_modes_sm80_debug",
    ),
    "Triton": (
        "triton_flash_attention_sm_80", "triton_flash_attention_sm_90", "triton_fp8_matmul_sm_89",
        "triton_descriptor_matmul_sm_90", "triton_layer_norm_gradient_sm_80", "triton_matmul_sm80",
        "triton_layer_norm_rows_sm80", "triton_softmax_rows_sm90", "triton_sort_block_sm80", "triton_histogram_sm80",
        "triton_prefix_sum_sm80", "triton_vector_add_sm90",
    ),
    "CUB": (
        "radix_pairs_sm80", "merge_wide_sm80", "run_lengths_sm80", "references_sm80", "barrier_rounds_sm80",
    ),
}  # fmt: skip

_WORKER = """
import contextlib, gc, os, resource, sys
import openptx
from openptx.testing.case import argument, read_case

engine = sys.argv[1]

def small(barrier, k="k"):
    text = ".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry k() {" + barrier + " ret; }\\n"
    openptx.load(text)[k](1, 32, engine="native")

def launcher(path):
    if os.path.isdir(path):
        case = read_case(path)
        kernel = openptx.load(os.path.join(path, "kernel.ptx"))[case.kernel]
        given = [argument(case, each) for each in case.params]
        keywords = dict(shared_mem=case.shared, cluster=case.cluster)
        return lambda: kernel(case.grid, case.block, given, engine=engine, timeout=60, **keywords)
    module = openptx.load(path)
    kernel = module[next(iter(module))]
    return lambda: kernel(1, 128, [0] * len(kernel.parameters), engine=engine, timeout=60, shared_mem=160 << 10)

def seconds():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)

small("")
small("bar.sync 0;")
gc.collect()
gc.freeze()  # a collection of all that was imported takes 20 ms, and would fall into the time of any kernel
later = "later" in sys.argv
for line in sys.stdin:
    if later:
        with contextlib.suppress(openptx.Fault):
            launcher(line.strip())()
        gc.collect()
        gc.freeze()
    child = os.fork()
    if not child:
        try:
            run = launcher(line.strip())
            start = seconds()
            with contextlib.suppress(openptx.Fault):
                run()
            os.write(answers, f"{seconds() - start}\\n".encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
"""
_QUIET = "import os\nanswers = os.dup(1)\nos.dup2(os.open(os.devnull, os.O_WRONLY), 1)\n"


def worker(checkout: Path, *given: str) -> subprocess.Popen[str]:
    """A process that launches kernels by their paths, and answers with seconds."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve() / "src"), "OPENPTX_CACHE": ""}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", _QUIET + _WORKER, *given], stdin=pipe, stdout=pipe, text=True, env=environment
    )


def path_of(name: str) -> Path:
    folder = ROOT / "tests" / "kernels" / name
    return folder if folder.is_dir() else ROOT / "tests" / "corpus" / "ptx" / f"{name}.ptx"


def seconds(process: subprocess.Popen[str], path: Path) -> float:
    """Of one first launch."""
    assert process.stdin is not None
    assert process.stdout is not None
    print(path, file=process.stdin, flush=True)
    return float(process.stdout.readline())


def mean(ratios: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--later", action="store_true")
    parser.add_argument("--engine", choices=("native", "auto"), default="native")
    asked = parser.parse_intermixed_args()
    given = [asked.engine, *(["later"] if asked.later else [])]
    workers = worker(ROOT, *given), worker(asked.other, *given)
    means: list[str] = []
    every: list[float] = []
    print(f"{'kernel':34} {'ours s':>8} {'theirs s':>8} {'ratio':>6}")
    for family, names in ({"asked": asked.kernels} if asked.kernels else FAMILIES).items():
        ratios: list[float] = []
        for name in names:
            if asked.engine == "auto" and not path_of(name).is_dir() and not asked.kernels:
                continue
            turns = [[seconds(process, path_of(name)) for process in workers] for _ in range(asked.rounds)]
            new, old = map(min, zip(*turns, strict=True))
            ratios.append(new / old)
            print(f"{name:34} {new:8.3f} {old:8.3f} {new / old:6.3f}", flush=True)
        means.append(f"{family} {mean(ratios):.3f}")
        every += ratios
    print(f"geometric mean of {len(every)}: {mean(every):.3f}; {', '.join(means)}")
    for process in workers:
        process.communicate()


if __name__ == "__main__":
    main()
