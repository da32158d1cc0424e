"""The first launch of a process imports an engine, which does not count towards the time limit."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

LOOP = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n) {
    .reg .b64 p, d; .reg .b32 t, c, m, v; .reg .pred q;
    ld.param.u64 p, [x]; ld.param.u32 m, [n]; mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mad.lo.u32 t, c, 32, t;
    mul.wide.u32 d, t, 4; add.u64 p, p, d;
A:  ld.global.u32 v, [p]; add.u32 v, v, 1; st.global.u32 [p], v; sub.u32 m, m, 1; setp.ne.u32 q, m, 0; @q bra A; ret;
}
"""
LIMITED = f"""
import numpy as np, openptx, sys
kernel = openptx.load({LOOP!r})["k"]
try:
    kernel(2, 32, (np.zeros(64, np.uint32), 5), engine=sys.argv[1], timeout=1e-9)
except openptx.Fault as fault:
    print(fault.name, fault.message, *fault.notes, sep="; ")
"""
SLOW_IMPORTS = f"""
import importlib, sys, time
import numpy as np, openptx, openptx.engines.common.engine as engine
now, late = time.monotonic, 0
def import_slowly(name):
    global late
    late += 1000
    return importlib.import_module(name)
time.monotonic, engine.import_module = lambda: now() + late, import_slowly
kernel, x = openptx.load({LOOP!r})["k"], np.zeros(64, np.uint32)
kernel(2, 32, (x, 5), engine=sys.argv[1], timeout=500)
print((x == 5).all(), late > 500, "openptx.engines.native.runtime.launch" in sys.modules)
"""

SOON_OVER = f"""
import numpy as np, openptx, sys
kernel = openptx.load({LOOP!r})["k"]
for _ in range(3):
    x = np.zeros(64, np.uint32)
    kernel(2, 32, (x, 5), **eval(sys.argv[1]))
assert (x == 5).all()
print("openptx.engines.interp.launch" in sys.modules)
print(*{"llvmlite", "openptx.engines.native.emit", "openptx.engines.tiers.service", "signal"} & sys.modules.keys())
"""


def run(program: str, *arguments: str, tiers: str = "1") -> str:
    environment = {**os.environ, "OPENPTX_TIERS": tiers}
    done = subprocess.run([sys.executable, "-c", program, *arguments], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("engine", ["interp", "auto", "native"])
def test_a_limit_that_is_over_before_the_kernel_starts(engine: str) -> None:
    assert run(LIMITED, engine) == "timeout; the kernel did not start within 1e-09 seconds\n"


@pytest.mark.parametrize(
    ("engine", "tiers", "native"),
    [("interp", "1", False), ("auto", "1", False), ("auto", "0", True), ("native", "1", True)],
)
def test_imports_do_not_count(engine: str, tiers: str, native: bool) -> None:
    """`auto` without tiers goes on to machine code at once, which is imported then."""
    assert run(SLOW_IMPORTS, engine, tiers=tiers) == f"True True {native}\n"


@pytest.mark.parametrize("options", ["{}", "{'cluster': 2}", "{'max_instructions': 1000}", "{'initcheck': True}"])
def test_launches_that_are_soon_over_import_nothing_of_machine_code(options: str) -> None:
    """With a loop, so that their running time is unknown. What has code made is half of what `auto` imports."""
    assert run(SOON_OVER, options) == "True\n\n"
