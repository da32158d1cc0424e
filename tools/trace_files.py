"""Lists the files that a kernel passes on its way from text to lanes, in the order in which they are entered.

    python tools/trace_files.py [--verbose]

A file is entered when one of its functions is called, other than while modules are imported. Each stage is a process of
its own with an empty cache, so nothing is remembered from before: with machine code on disk `native` enters less than
half of its files. `lower` begins with a checked module, `interp` and `native` with a loaded one.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import numpy as np

import openptx
from openptx.check import lower, resolve
from openptx.source import File

PACKAGE = f"{Path(openptx.__file__).parent}/"
KERNEL = Path(__file__).parents[1].joinpath("bench", "small.ptx").read_text()


@contextmanager
def traced() -> Generator[dict[str, str]]:
    """The files entered meanwhile, in order, and the first function that was called in each."""
    found: dict[str, str] = {}
    imports = threading.local()

    def profile(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if code.co_name == "<module>":
            imports.depth = getattr(imports, "depth", 0) + {"call": 1, "return": -1}.get(event, 0)
            return
        ours = event == "call" and code.co_flags & inspect.CO_OPTIMIZED and code.co_filename.startswith(PACKAGE)
        if ours and not getattr(imports, "depth", 0):
            found.setdefault(code.co_filename.removeprefix(PACKAGE), code.co_qualname)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def checking() -> Callable[[], object]:
    return lambda: openptx.check(KERNEL)


def lowering() -> Callable[[], object]:
    module, _ = resolve(File("k.ptx", KERNEL))
    return lambda: lower(module).function("k")


def launching(engine: str) -> Callable[[], object]:
    kernel = openptx.load(KERNEL)["k"]
    values, out = np.arange(128, dtype=np.float32), np.zeros(32, np.float32)

    def launch() -> None:
        kernel(1, 32, (out, values), engine=engine)
        a, b, c, _ = values.reshape(32, 4).T
        assert (out == a * b + c).all()

    return launch


STAGES: dict[str, Callable[[], Callable[[], object]]] = {
    "check": checking,
    "lower": lowering,
    "interp": lambda: launching("interp"),
    "native": lambda: launching("native"),
}


def main() -> None:
    """Prints how many files each stage enters."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--verbose", action="store_true", help="name the files, in order, and what is called first")
    options.add_argument("--stage", choices=STAGES, help="this one alone, as JSON")
    chosen = options.parse_args()
    if chosen.stage:
        run = STAGES[chosen.stage]()
        with traced() as found:
            run()
        print(json.dumps(found))
        return
    for stage in STAGES:
        with tempfile.TemporaryDirectory() as empty:
            environment = {**os.environ, "OPENPTX_CACHE": empty}
            found = json.loads(subprocess.check_output([sys.executable, __file__, "--stage", stage], env=environment))
        print(f"{stage:7} {len(found):3} files")
        if chosen.verbose:
            print("".join(f"        {path}: {name}\n" for path, name in found.items()))


if __name__ == "__main__":
    main()
