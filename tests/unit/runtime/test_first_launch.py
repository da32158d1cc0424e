"""The first launch of a process imports an engine, which counts towards the time limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise

import pytest

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {
    .reg .b64 p; ld.param.u64 p, [x]; st.global.u32 [p], 7; ret;
}
"""
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
kernel, x = openptx.load({KERNEL!r})["k"], np.zeros(1, np.uint32)
try:
    kernel(1, 1, (x,), engine=sys.argv[1], timeout=1e-9)
except openptx.Fault as fault:
    print(fault.name, *fault.notes, sep="; ")
kernel(1, 1, (x,), engine=sys.argv[1])
print(x[0])
"""
PARTS = """
import json, sys
import openptx.runtime
from openptx.engines.common.engine import import_engine
counts = []
def check():
    counts.append(len(sys.modules))
    if len(counts) == int(sys.argv[2]):
        raise TimeoutError
try:
    import_engine(sys.argv[1], check)
except TimeoutError:
    before = set(sys.modules)
    import_engine(sys.argv[1], lambda: None)
    counts.append(len(set(sys.modules) - before))
print(json.dumps(counts + [len(sys.modules)]))
"""

SOON_OVER = f"""
import numpy as np, openptx, sys
kernel = openptx.load({LOOP!r})["k"]
for _ in range(3):
    x = np.zeros(64, np.uint32)
    kernel(2, 32, (x, 5), **eval(sys.argv[1]))
assert (x == 5).all()
print(*[name in sys.modules for name in ("openptx.engines.interp.launch", "llvmlite", "openptx.engines.native.emit")])
"""


def run(program: str, *arguments: str) -> str:
    environment = {**os.environ, "OPENPTX_TIERS": "1"}
    done = subprocess.run([sys.executable, "-c", program, *arguments], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("engine", ["interp", "native", "auto"])
def test_a_limit_that_is_over_while_an_engine_is_imported(engine: str) -> None:
    """The next launch goes on from there."""
    assert run(LIMITED, engine) == "timeout; the engine was being imported\n7\n"


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_no_part_is_much_of_the_engine(engine: str) -> None:
    counts = json.loads(run(PARTS, engine, "0"))
    assert counts[-1] - counts[0] > 20
    assert max(after - before for before, after in pairwise(counts)) <= 80  # llvmlite is one


@pytest.mark.parametrize("part", [2, 8, 20])
def test_an_import_that_was_ended_is_taken_up(part: int) -> None:
    *_, left, _ = json.loads(run(PARTS, "native", str(part)))
    assert left > 0


@pytest.mark.parametrize("options", ["{}", "{'cluster': 2}", "{'max_instructions': 1000}", "{'initcheck': True}"])
def test_launches_that_are_soon_over_import_nothing_of_machine_code(options: str) -> None:
    """With a loop, so that their running time is unknown."""
    assert run(SOON_OVER, options) == "True False False\n"
