"""Check and run an example kernel: what OpenPTX does in a few seconds, shown on one file.

The kernel was compiled by NVIDIA's nvcc from CUDA C++ and is part of the package. It is checked, run on NumPy arrays,
broken on purpose and checked again, and finally run on an array that is too short.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from openptx import demo
from openptx.api import check
from openptx.cli.exit_status import CLEAN
from openptx.cli.launch_options import ENGINE
from openptx.cli.terminal import width_of
from openptx.diagnostics.render import render
from openptx.diagnostics.render.full import render_fault
from openptx.diagnostics.terminal import has_color, title
from openptx.errors import Fault

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from numpy.typing import NDArray

    from openptx.runtime import Kernel

WIDTH, HEIGHT, LIMIT = 76, 26, 200
BLOCK = (16, 8)
SHADES = " .,:;+*o%#@"


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx demo`."""
    parser.add_argument("--engine", choices=("auto", "interp", "native"), default="auto", help=ENGINE)


def run(args: Namespace) -> int:
    """Checks a kernel, runs it, breaks it, and makes it overrun an array."""
    check_it()
    run_it(args.engine)
    break_it()
    overrun_it(args.engine)
    print("Next: openptx check FILE.ptx, openptx run --help, openptx explain PTX0312")
    return CLEAN


def check_it() -> None:
    """Checks the compiler's file, which has no errors."""
    kernel = demo.kernel()
    lines = kernel.text.count("\n")
    print(title(f"1. openptx check mandelbrot.ptx, {lines} lines of PTX that nvcc made of CUDA C++"))
    start = time.perf_counter()
    found = check(kernel)
    taken = time.perf_counter() - start
    print(f"{len(found) or 'No'} errors, checked in {1000 * taken:.0f} ms.\n")


def run_it(engine: str) -> None:
    """The kernel draws a picture into a NumPy array."""
    print(title(f"2. {WIDTH * HEIGHT} threads write into a NumPy array, no GPU involved"))
    kernel = load(demo.kernel())
    steps = empty()
    start = time.perf_counter()
    launch(kernel, steps, engine)
    taken = time.perf_counter() - start
    print(picture(steps))
    print(f"{steps.sum():,} iterations in {taken:.2f} s.\n")


def break_it() -> None:
    """One wrong register, and the output of `check`."""
    print(title("3. The same file with one wrong register"))
    print(render(check(demo.broken()), color=has_color(sys.stdout), width=width_of(sys.stdout)))


def overrun_it(engine: str) -> None:
    """An array that is too short, and the text of the fault."""
    print(title("4. The right file with an array that is one row too short"))
    try:
        launch(load(demo.kernel()), empty()[:-1], engine)
    except Fault as fault:
        print(render_fault(fault, color=has_color(sys.stdout), width=width_of(sys.stdout)) + "\n")


def load(file: Any) -> Kernel:
    """The one kernel of a file."""
    import openptx

    return openptx.load(file).get_function("mandelbrot")


def empty() -> NDArray[Any]:
    """The array that the kernel writes: a number of steps for each point."""
    import numpy as np

    return np.zeros((HEIGHT, WIDTH), np.int32)


def launch(kernel: Kernel, steps: NDArray[Any], engine: str) -> None:
    """Launches the kernel with one thread per character."""
    grid = (-(-WIDTH // BLOCK[0]), -(-HEIGHT // BLOCK[1]))
    kernel(grid, BLOCK, (steps, WIDTH, HEIGHT, -2.2, -1.3, 0.05 * 62 / WIDTH, LIMIT), engine=engine)


def picture(steps: NDArray[Any]) -> str:
    """The array as characters: the longer a point stays, the darker."""
    darkest = len(SHADES) - 1
    return "\n".join(
        "".join(SHADES[darkest if n >= LIMIT else min(int(n) // 2, darkest - 1)] for n in row).rstrip() for row in steps
    )
