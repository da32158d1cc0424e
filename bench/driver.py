"""The time of a launch through libcuda.so.1 and of a call in Python, in one run, in processor time.

Goal: at most three times as long.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import openptx

if "measure" not in sys.argv:  # the library is found by programs under `openptx exec`
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--", sys.executable, __file__, "measure"]
    sys.exit(subprocess.run(command).returncode)

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "unit" / "driver" / "programs"))
calls: Any = import_module("driver_calls")

TEXT = """
.visible .entry store(.param .u64 a, .param .u32 n) {
    .reg .b64 %p; .reg .b32 %r;
    ld.param.u64 %p, [a]; ld.param.u32 %r, [n];
    st.global.u32 [%p], %r;
    ret;
}
"""
ROUNDS, LAUNCHES = 7, 200
calls.context()
store, target, number = calls.kernel(calls.load(TEXT), "store"), calls.allocate(4), calls.Word(7)
given = calls.pointers([target, number])
called, array = openptx.load(calls.HEAD + TEXT)["store"], np.zeros(1, np.uint32)


def through_library() -> None:
    calls.CUDA.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, None, given, None)


def through_python() -> None:
    called(1, 1, (array, 7))


def microseconds(launch: Callable[[], None]) -> float:
    begin = time.process_time()
    for _ in range(LAUNCHES):
        launch()
    return (time.process_time() - begin) / LAUNCHES * 1e6


times = [(microseconds(through_library), microseconds(through_python)) for _ in range(ROUNDS)]
library, python = (min(each) for each in zip(*times, strict=True))
print(f"library {library:.1f} us, Python {python:.1f} us, ratio {library / python:.2f}")
