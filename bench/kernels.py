"""Kernels on the native engine compared with the best C for the same task, compiled by gcc in the same run; one thread.

    python bench/kernels.py [--plot FILE.svg] [--only NAME,...]

Prints, for each kernel, C's time divided by ours, and ours with two workers divided by ours with one. Every result is
compared with C's before it counts. OPENPTX_CPU_WITHOUT is for gcc, too. Then: first launch, launch from the cache, warm
launch, cost of the bounds checks.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

import openptx
from openptx.engines.common.engine import import_engine
from openptx.engines.native import settings
from openptx.llvm.host import left_out

HERE = Path(__file__).parent / "native"
FLAGS = (("-O3", "-march=native"), ("-O3", "-march=native", "-ffast-math", "-mprefer-vector-width=512"))
random = np.random.default_rng(7)


class Job:
    """A kernel, its launch, and the C function with its arguments. `outputs` are positions of what must agree."""

    def __init__(
        self, name: str, grid: Any, block: Any, args: tuple[Any, ...], c: tuple[Any, ...], outputs: tuple[int, int],
        *, function: str = "", agree: Callable[[Any, Any], bool] | None = None,
    ) -> None:  # fmt: skip
        self.name, self.grid, self.block, self.args, self.c = name, grid, block, args, c
        self.ours, self.theirs = outputs
        self.function = function or name
        self.agree = agree or equal


def equal(a: Any, b: Any) -> bool:
    return bool(np.array_equal(a, b))


def near(a: Any, b: Any) -> bool:
    """nvcc fuses operations, gcc may not."""
    return bool((a != b).mean() < 0.02)


def total(a: Any, b: Any) -> bool:
    return math.isclose(a.sum(dtype=np.float64), b[0], rel_tol=1e-2, abs_tol=5.0)


def close(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=2e-3, atol=1e-4))


def f32(*shape: int) -> Any:
    return random.standard_normal(shape, np.float32)


def same(x: Any) -> tuple[Any, Any]:
    return x.copy(), x.copy()


def jobs() -> list[Job]:
    n = 1 << 20
    found: list[Job] = []
    x = f32(n)
    y, z = same(f32(n))
    found.append(Job("saxpy", n // 256, 256, (n, 1e-3, x, y), (n, 1e-3, x, z), (3, 3), agree=close))
    h = f32(n).astype(np.float16)
    y, z = same(f32(n).astype(np.float16))
    found.append(Job("half_axpy", n // 256, 256, (n, 2**-9, h, y), (n, 2**-9, h, z), (3, 3), agree=close))
    b = (f32(n).view(np.uint32) >> 16).astype(np.uint16)
    y, z = same((f32(n).view(np.uint32) >> 16).astype(np.uint16))
    found.append(Job("brain_axpy", n // 256, 256, (n, 2**-9, b, y), (n, 2**-9, b, z), (3, 3)))
    y, z = same(np.zeros((512, 512), np.int32))
    found.append(Job("mandelbrot", (16, 64), (32, 8), (y, 512, 256), (z, 512, 256), (0, 0), agree=near))
    a, b = f32(512, 512), f32(512, 512)
    y, z = same(np.zeros((512, 512), np.float32))
    found.append(Job("matmul", (32, 32), (16, 16), (a, b, y, 512), (a, b, z, 512), (2, 2), agree=close))
    x = f32(4 * n)
    for name in ("sum_shared", "sum_shuffle"):
        y, z = np.zeros(512, np.float32), np.zeros(1, np.float32)
        found.append(Job(name, 512, 256, (x, y, 4 * n), (x, z, 4 * n), (1, 1), function="sum", agree=total))
    y, z = same(random.integers(1, 1 << 32, 1 << 15, np.uint32))
    found.append(Job("xorshift", 128, 256, (y, 1000), (z, 1000, 1 << 15), (0, 0)))
    data = random.integers(0, 256, n, np.uint8)
    y, z = same(np.zeros(256, np.uint32))
    found.append(Job("histogram", n // 256, 256, (data, y, n), (data, z, n), (1, 1)))
    x = random.integers(0, 100, n, np.uint32)
    y, z = same(np.zeros(n, np.uint32))
    found.append(Job("scan", n // 1024, 1024, (x, y), (x, z, n), (1, 1)))
    x = f32(1024, 1024)
    y, z = same(np.zeros((1024, 1024), np.float32))
    found.append(Job("transpose", (32, 32), (32, 8), (x, y, 1024), (x, z, 1024), (1, 1)))
    x = random.integers(0, 1 << 32, (16, 1 << 14), np.uint32)
    y, z = same(np.zeros((8, 1 << 14), np.uint32))
    found.append(Job("sha256", 64, 256, (x, y, 1 << 14), (x, z, 1 << 14), (1, 1)))
    x = f32(2048, 4)
    y, z = same(np.zeros((2048, 3), np.float32))
    found.append(Job("nbody", 16, 128, (x, y, 2048), (x, z, 2048), (1, 1), agree=close))
    x = f32(512, 1024)
    y, z = same(np.zeros((512, 1024), np.float32))
    found.append(Job("softmax", 512, 256, (x, y, 1024), (x, z, 1024, 512), (1, 1), agree=close))
    gain, bias = f32(1024), f32(1024)
    y, z = same(np.zeros((512, 1024), np.float32))
    args = (x, gain, bias, y, 1024), (x, gain, bias, z, 1024, 512)
    found.append(Job("layer_norm", 64, 256, *args, (3, 3), agree=close))
    return found


def library(flags: tuple[str, ...], folder: str) -> ctypes.CDLL:
    """Linked without the flags: by `-ffast-math` a library makes the process flush subnormal numbers, and each of our
    launches would have to set the floating-point environment."""
    out = Path(folder) / f"baselines{len(flags)}.so"
    code = out.with_suffix(".o")
    without = [f"-mno-{feature}" for feature in left_out(llvm.get_host_cpu_features())]
    subprocess.run(["gcc", *flags, *without, "-c", "-fPIC", "-o", code, HERE / "baselines.c"], check=True)
    subprocess.run(["gcc", "-shared", "-o", out, code, "-lm"], check=True)
    return ctypes.CDLL(str(out))


def c_call(job: Job, lib: ctypes.CDLL) -> Callable[[], None]:
    function = getattr(lib, job.function)
    kinds = {int: ctypes.c_int, float: ctypes.c_float}
    given = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else kinds[type(a)](a) for a in job.c]
    return lambda: function(*given)


def best(run: Callable[[], None], seconds: float = 0.4, least: int = 5) -> float:
    """The shortest of many runs."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        times.append(timed(run))
    return min(times)


def by_turns(run: Callable[[], None]) -> tuple[float, float]:
    """The shortest of many runs with checked accesses, and of as many without, one after the other."""
    times: list[float] = []
    bare: list[float] = []
    with settings.unchecked():
        run()
    end = time.perf_counter() + 0.8
    while len(times) < 5 or time.perf_counter() < end:
        times.append(timed(run))
        with settings.unchecked():
            bare.append(timed(run))
    return min(times), min(bare)


def timed(run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def check(job: Job, module: Any, lib: ctypes.CDLL) -> None:
    """Our result equals C's, from the same inputs."""
    kernel = module[job.name]
    kernel(job.grid, job.block, job.args, engine="native", workers=1)
    c_call(job, lib)()
    if not job.agree(job.args[job.ours], job.c[job.theirs]):
        raise SystemExit(f"{job.name}: our result is not C's")


def small() -> dict[str, tuple[Any, Any, tuple[Any, ...]]]:
    """Launches of 256 threads, where beginning is all that they cost."""
    x, y, tile = f32(256), f32(256), f32(16, 16)
    return {
        "saxpy": (1, 256, (256, 1.0, x, y)),
        "sum_shuffle": (1, 256, (x, y, 256)),
        "matmul": (1, (16, 16), (tile, tile, tile.copy(), 16)),
    }


def launches() -> None:
    """What it costs to begin: in processes that have done nothing yet but load the module, then over and over.

    Python's files are compiled before, as they are for all but the first program after an installation. The engine is
    imported by the first launch of a process, whose time is that of the import and of the other columns together.
    """
    print(
        f"\n{'256 threads':12} {'import ms':>9} {'first of all ms':>15} {'first ms':>9} {'from the cache ms':>18}"
        f" {'warm us':>8}"
    )
    for name in small():
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "OPENPTX_CACHE": "", "PYTHONPYCACHEPREFIX": folder + "/python"}
            environment.pop("PYTHONDONTWRITEBYTECODE", None)
            command = [sys.executable, __file__, "--launch", name]
            subprocess.run([*command, ""], env=environment, check=True, capture_output=True)
            environment["OPENPTX_CACHE"] = folder
            # The first of all makes what all kernels share; the second is another one to the cache.
            (_, every, _), (_, first, _), *cached = [
                [float(t) for t in subprocess.check_output([*command, version], env=environment, text=True).split()]
                for version in "abbbb"
            ]
        imported, fastest, warm = (min(column) for column in zip(*cached, strict=True))
        print(
            f"{name:12} {imported * 1e3:9.1f} {every * 1e3:15.1f} {first * 1e3:9.1f} {fastest * 1e3:18.2f}"
            f" {warm * 1e6:8.1f}"
        )


def prepare() -> None:
    import_engine("native")


def launch(name: str, version: str) -> None:
    """Seconds of the engine's import, of the first launch in this process, and of later ones."""
    kernel = openptx.load((HERE / "kernels.ptx").read_text() + f"// {version}\n")[name]
    grid, block, args = small()[name]

    def run() -> None:
        kernel(grid, block, args, engine="native", workers=1)

    imported = timed(prepare)
    print(imported, timed(run), best(run))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", type=Path, help="write the ratios as a picture")
    parser.add_argument("--only", default="", help="names of kernels, with commas between")
    parser.add_argument("--launch", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.launch:
        launch(*options.launch)
        return
    text = (HERE / "kernels.ptx").read_text()
    rows: list[tuple[str, float, float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        libraries = [library(flags, folder) for flags in FLAGS]
        module = openptx.load(text)
        print(
            f"{'kernel':12} {'C ms':>9} {'ours ms':>9} {'C / ours':>9} {'1 / 2 workers':>14}"
            f" {'unchecked / checked':>20}"
        )
        for job in jobs():
            if options.only and job.name not in options.only.split(","):
                continue
            check(job, module, libraries[0])
            kernel = module[job.name]

            def run(workers: int = 1, kernel: Any = kernel, job: Job = job) -> None:
                kernel(job.grid, job.block, job.args, engine="native", workers=workers)

            c = min(best(c_call(job, lib)) for lib in libraries)
            ours = best(run)
            two = best(lambda run=run: run(2)) if (os.cpu_count() or 1) > 1 else ours
            checked, free = by_turns(run)
            rows.append((job.name, c / ours, ours / two, free / checked))
            print(
                f"{job.name:12} {c * 1e3:9.3f} {ours * 1e3:9.3f} {c / ours:9.2f} {ours / two:14.2f}"
                f" {free / checked:20.2f}",
                flush=True,
            )
    if rows:
        means = [
            math.exp(sum(map(math.log, column)) / len(rows)) for column in zip(*(row[1:] for row in rows), strict=True)
        ]
        print(f"{'geometric mean':32} {means[0]:9.2f} {means[1]:14.2f} {means[2]:20.2f}")
    launches()
    if options.plot:
        options.plot.write_text(picture(rows))


def picture(rows: list[tuple[str, float, float, float]]) -> str:
    """Bars of C / ours, as SVG; 1 is C's speed."""
    high, wide, left = 24, 420, 110
    most = max(row[1] for row in rows)
    unit = wide / max(most, 1.2)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide + 70}" height="{high * len(rows) + 40}"'
        ' font-family="sans-serif" font-size="13" fill="#888">'
    ]
    for i, (name, ratio, _, _) in enumerate(rows):
        y = 10 + i * high
        lines.append(f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{name}</text>')
        lines.append(f'<rect x="{left}" y="{y + 2}" width="{ratio * unit:.1f}" height="{high - 6}" fill="#4a90d9"/>')
        lines.append(f'<text x="{left + ratio * unit + 6:.1f}" y="{y + 15}">{ratio:.2f}</text>')
    bottom = 14 + high * len(rows)
    lines.append(
        f'<line x1="{left + unit:.1f}" y1="6" x2="{left + unit:.1f}" y2="{bottom}" stroke="#888"'
        ' stroke-dasharray="4 3"/>'
    )
    lines.append(f'<text x="{left + unit:.1f}" y="{bottom + 16}" text-anchor="middle">gcc -O3, one thread</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    main()
