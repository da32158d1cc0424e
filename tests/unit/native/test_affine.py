"""Affine values: base and offsets after an operator are right in each lane, for all bases."""

from __future__ import annotations

import random

import numpy as np
import pytest

import openptx
from openptx.engines.native.analysis.affine import FOLD, Affine, Base, combine
from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N, trailing_zeros
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options

LANES: tuple[Lanes, ...] = (
    ZEROS,
    tuple(range(N)),
    tuple(4 * i for i in range(N)),
    tuple(i % 8 * 2 for i in range(N)),
    tuple(i // 8 for i in range(N)),
    tuple(96 - i for i in range(N)),
)


def some(dice: random.Random, w: int) -> tuple[int, Affine]:
    """A base, and what is known of it and its offsets."""
    zeros, bits = dice.choice((0, 1, 2, 5, 8)), dice.choice((0, 3, 5, 7, 10, w))
    base = dice.getrandbits(bits) >> zeros << zeros if bits else 0
    high = dice.choice((-1, base)) if bits == w else max(base, (1 << bits) - 1)
    return base, Affine("base", dice.choice(LANES), zeros, high)


@pytest.mark.parametrize("op", ["add", "sub", "mul", "and", "or", "xor", "shl", "shr", "sar"])
def test_operators_are_what_they_are_by_lane(op: str) -> None:
    dice, kept = random.Random(op), 0
    for _ in range(4000):
        w = dice.choice((16, 32, 64))
        mask = (1 << w) - 1
        (x, a), (y, b) = some(dice, w), some(dice, w)
        if op not in ("add", "sub", "or", "xor") or dice.random() < 0.3:
            y = dice.choice((0, 1, 3, 7, 31, 96, 127, 255))
            b = Affine(y, ZEROS, min(trailing_zeros(y), w), y)

        def step(op: str, p: Base, q: Base, w: int) -> Base:
            first, second = (v if isinstance(v, int) else int(v) for v in (p, q))
            return FOLD[op](first, second, w) & (1 << w) - 1

        given = a._replace(base=str(x)), b if isinstance(b.base, int) else b._replace(base=str(y))
        found = combine(op, *given, w, step)
        if found is None:
            continue
        kept += 1
        base = int(found.base)
        for i in range(N):
            expected = FOLD[op]((x + a.lanes[i]) & mask, (y + b.lanes[i]) & mask, w) & mask
            assert (base + found.lanes[i]) & mask == expected, (op, w, x, a, y, b, found)
        assert base % (1 << min(found.tz, w)) == 0
        assert found.high < 0 or base <= found.high
    assert kept > 400


SIGN = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 given) {
.reg .b32 t, s; .reg .b64 p; .reg .pred small;
ld.param.u64 p, [given]; mov.u32 t, %tid.x; bfe.s32 s, t, 6, 1; setp.lt.u32 small, s, 2; selp.b32 s, 1, 2, small;
mad.wide.u32 p, t, 4, p; st.global.b32 [p], s; ret; }
"""


def test_a_bit_that_becomes_the_sign_is_no_small_number() -> None:
    """bfe.s32 of one bit is 0 or -1. Its bound was taken to be 1, and the comparison to hold."""
    found = [np.zeros(128, np.uint32) for _ in range(2)]
    for engine, out in zip(("interp", "native"), found, strict=True):
        openptx.load(SIGN)["k"](1, 128, (out,), engine=engine)
    assert found[0].tolist() == [1] * 64 + [2] * 64
    assert found[1].tolist() == found[0].tolist()


INDEX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 given) {
.reg .b32 t, c, i, v; .reg .b64 p, q;
ld.param.u64 p, [given]; mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; shl.b32 c, c, SHIFT; OP i, c, t;
mul.wide.u32 q, i, 4; add.u64 p, p, q; ld.global.b32 v, [p]; add.u32 v, v, 1; st.global.b32 [p], v; ret; }
"""


@pytest.mark.parametrize("op", ["or.b32", "xor.b32"])
def test_an_index_put_together_by_bits_is_a_row(op: str) -> None:
    """As Triton's are: the access is one of 32 neighbours, as with an addition. Where bits overlap it is not."""

    def is_row(shift: int) -> bool:
        module = openptx.load(INDEX.replace("OP", op).replace("SHIFT", str(shift)))
        function = module.program.function("k")
        text = lower_kernel(module.program, function, module.image, Options((128, 1, 1), False)).text
        return "@openptx.shared.lanes" not in text

    assert is_row(7)
    assert not is_row(6)
