"""The first launch of a process imports an engine: a time limit counts that, and ends it between two parts."""

from __future__ import annotations

import json
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


def run(program: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True)
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
