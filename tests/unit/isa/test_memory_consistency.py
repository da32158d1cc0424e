"""Which operations are strong, which may be polled in a loop, and which combine values with memory."""

import pytest

from openptx.isa.memory_consistency import may_wait, strong
from openptx.isa.notation import load, resolve

# fmt: off
#   opcode                                     strong  may wait
OPERATIONS = (
    ("ld.global.u32",                          False,  False),
    ("ld.global.nc.u32",                       False,  False),
    ("ld.volatile.shared.u32",                 True,   True),
    ("ld.relaxed.gpu.global.u32",              True,   True),
    ("ld.mmio.relaxed.sys.global.u32",         True,   True),
    ("st.release.gpu.global.u32",              True,   False),
    ("atom.global.cas.b32",                    True,   True),   # 9.7.13.5: without .sem it is .relaxed
    ("atom.acq_rel.gpu.global.add.u32",        True,   True),
    ("red.global.add.u32",                     True,   False),
    ("mbarrier.try_wait.parity.shared.b64",    True,   True),   # 9.7.13.15: without .sem it is .acquire
    ("mbarrier.test_wait.shared.b64",          True,   True),
    ("mbarrier.pending_count.b64",             False,  False),
    ("nanosleep.u32",                          False,  True),
    ("add.u32",                                False,  False),
)
# fmt: on


@pytest.mark.parametrize(("opcode", "ordered", "waits"), OPERATIONS)
def test_operations(opcode: str, ordered: bool, waits: bool) -> None:
    _, m = resolve(opcode)[0]
    assert (strong(m), may_wait(m)) == (ordered, waits)


def test_reductions_are_declared() -> None:
    """Those of memory: loads that reduce (`ld_reduce`, `tcgen05.ld.red`) write none."""
    every = [instruction for instructions in load().values() for instruction in instructions]
    named = [each for each in every if {"red", "reduce", "atom"} & {*each.parts} and "ld" not in each.parts]
    assert len(named) == 8
    assert [each for each in every if each.reduces] == named
