"""Occupancy limits of each compute capability, and the registers that directives allow."""

from __future__ import annotations

import pytest

from openptx.isa.targets import TARGETS
from openptx.profile.occupancy import MULTIPROCESSORS, occupancy, registers_allowed

# fmt: off
#    target    threads  shared  blocks  warps  memory
LIMITS = (
    ("sm_90",   256,      0, 32,  8, 228),   # 1 KiB of each block is the system's
    ("sm_90a",  256,   2048, 32,  8,  76),
    ("sm_80",  1024,  49152, 32,  2,   3),
    ("sm_86",   100,      0, 16, 12, 100),
    ("sm_75",   256,      0, 16,  4,  16),   # none: as many as there are blocks
    ("sm_75",    33,  16640, 16, 16,   3),
    ("sm_120",   64, 101376, 24, 24,   1),
)
# fmt: on


@pytest.mark.parametrize(("target", "threads", "shared", "blocks", "warps", "memory"), LIMITS)
def test_limits(target: str, threads: int, shared: int, blocks: int, warps: int, memory: int) -> None:
    found = occupancy(target, threads, shared, {})
    assert (found.by_blocks, found.by_warps, found.by_shared_memory) == (blocks, warps, memory)
    assert found.blocks == min(blocks, warps, memory)


def test_targets_without_known_limits_have_none() -> None:
    found = occupancy("sm_107", 256, 0, {})
    assert (found.blocks, found.by_warps) == (None, None)


def test_every_target_is_known_or_named_here() -> None:
    numbers = {target.number for target in TARGETS.values() if target.number >= 50}
    assert numbers - MULTIPROCESSORS.keys() == {88, 107}
    assert MULTIPROCESSORS.keys() <= numbers


def test_directives_limit_registers() -> None:
    assert registers_allowed({}) == 255
    assert registers_allowed({"maxntid": (1024, 1, 1)}) == 64
    assert registers_allowed({"maxntid": (256,), "minnctapersm": (4,)}) == 64
    assert registers_allowed({"reqntid": (100, 1, 1), "minnctapersm": (6,)}) == 80
    assert registers_allowed({"maxntid": (128, 1, 1), "maxnreg": (32,)}) == 32
