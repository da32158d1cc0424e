"""Triton's tutorials 01, 02, 03, 05 and 06 as whole programs, with empty and with full caches.

    OPENPTX_TRITON=CHECKOUT python bench/tutorials.py [NUMBER ...]

Runs them as tests/clients/run_tutorial.py does: in sizes for a CPU, without measurements of a GPU, with two of the
configurations of `triton.autotune`. `first` has neither Triton's PTX nor our code, `cold` has PTX, `warm` has both;
`in place` is `cold` without tiers (OPENPTX_TIERS=0). Seconds of the processor, the compile server's included, and on
the clock.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "tests" / "clients" / "run_tutorial.py"
NUMBERS = ("01", "02", "03", "05", "06")
RUNS: dict[str, tuple[str, dict[str, str]]] = {
    "in place": ("a", {"OPENPTX_TIERS": "0"}),
    "cold": ("b", {}),
    "warm": ("b", {}),
}
"""The name of the folder with our code, and what the environment says."""


def run(script: Path, target: str, triton: str, code: str, environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of the processor and on the clock."""
    given = {**os.environ, "TRITON_CACHE_DIR": triton, "OPENPTX_CACHE": code, **environment}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(SCRIPT), target, str(script)]
        done = subprocess.run(command, env=given, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{script.name}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", default=NUMBERS)
    parser.add_argument("--target", default="sm_90")
    asked = parser.parse_args()
    if "OPENPTX_TRITON" not in os.environ:
        print("OPENPTX_TRITON names no checkout of Triton, whose wheels have no tutorials: left out")
        return
    tutorials = Path(os.environ["OPENPTX_TRITON"]) / "python" / "tutorials"
    print(f"{'':30} {'seconds of the processor / on the clock':^60}")
    print(f"{'tutorial':30}" + "".join(f"{name:>15}" for name in ("first", *RUNS)))
    for number in asked.numbers:
        (script,) = tutorials.glob(f"{number}-*.py")
        with tempfile.TemporaryDirectory() as triton, tempfile.TemporaryDirectory() as code:
            times = [run(script, asked.target, triton, f"{code}/first", {})]
            times += [run(script, asked.target, triton, f"{code}/{where}", env) for where, env in RUNS.values()]
        print(f"{script.name:30}" + "".join(f"{f'{p:.1f} / {c:.1f}':>15}" for p, c in times), flush=True)


if __name__ == "__main__":
    main()
