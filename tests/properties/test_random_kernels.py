"""Random kernels leave the same bytes on every engine, in every mode; failing ones are shrunk."""

from __future__ import annotations

import numpy as np
import pytest
from engines import MODES, compare, planned, smallest
from random_kernels import Kernel, reduced
from random_trees import Group, rendered

from openptx.engines.native import settings
from openptx.runtime import load

EVERY_MODE = tuple(MODES)
SIZE = 9
"""Of the kernels that are always tried: compiling takes most of the time."""


def one(seed: int, size: int, modes: tuple[str, ...]) -> list[str]:
    """Fails with the smallest kernel that differs; gives why machine code could not run it."""
    with settings.cache_at(None):
        found, left_out = compare(Kernel(seed, size), modes)
        assert not found, f"{found}\n{smallest(seed, size, modes)}"
    return left_out


@pytest.mark.parametrize("part", [*range(2), *(pytest.param(part, marks=pytest.mark.sweep) for part in range(2, 6))])
def test_kernels_agree(part: int) -> None:
    """Three kernels each, in one of the modes; most of them are really run as machine code."""
    seeds = range(part * 3, part * 3 + 3)
    left_out = [reason for seed in seeds for reason in one(seed, SIZE, (EVERY_MODE[seed % len(EVERY_MODE)],))]
    assert len(left_out) <= 2, left_out


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(200))
def test_many_kernels_agree(part: int) -> None:
    """Fifty each, one of them large and in all modes."""
    for seed in range(1000 + part * 50, 1050 + part * 50):
        one(seed, *planned(seed))


def test_a_seed_is_a_kernel() -> None:
    assert Kernel(3).text() == Kernel(3).text() != Kernel(4).text()


@pytest.mark.sweep
def test_kernels_try_everything() -> None:
    """What the generator promises to try occurs among a few hundred kernels."""
    promised = {
        "brx.idx", "call (", ".callprototype", "bar.sync", "barrier.cta.red", "shfl.sync.bfly", "match.all",
        "redux.sync", "atom.shared", "red.global", "st.local", "ld.const", "ld.global.nc", "addc", "madc",
        "fma.r", "cvt.r", "f16x2", "bf16", "e4m3", "b128", ".v4.", "exit;", "elect.sync",
        "vote.sync.ballot", "div.", "lop3", "vadd", "@!p",
    }  # fmt: skip
    for seed in range(200):
        text = Kernel(seed).text()
        promised = {words for words in promised if words not in text}
        if not promised:
            break
    assert promised == set()


def test_what_differs_is_made_small() -> None:
    """A kernel that goes wrong by one instruction is cut down to it."""
    kernel = Kernel(5)
    kernel.body.insert(3, Group(["", ["add.u32 r0, r0, 12345;"], ""]))
    small = reduced(kernel, lambda k: any("12345" in line for line in rendered(k.body)))
    assert [line for line in rendered(small.body) if line] == ["add.u32 r0, r0, 12345;"]


PART = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 o; .reg .b32 a, b, c, d;
    ld.param.u64 o, [out];
    mov.u32 a, %laneid;
    mov.u32 b, 3;
    mov.u32 c, 0x11223344;
    vadd.u32.u32.u32 d.b1, a.b0, b.b0, c;
    mad.wide.u32 o, a, 4, o;
    st.global.u32 [o], d;
    ret;
}
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_part_of_a_register_is_replaced(engine: str) -> None:
    out = np.zeros(32, np.uint32)
    load(PART)["k"](1, 32, (out,), engine=engine)
    assert out.tolist() == [0x11220044 | lane + 3 << 8 for lane in range(32)]
