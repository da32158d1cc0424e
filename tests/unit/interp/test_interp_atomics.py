"""Atomics of many lanes on few words: every implementation gives the result of executing lane after lane."""

from collections.abc import Callable

import numpy as np
import pytest

from openptx.engines.interp.memory import atomic_updates
from openptx.isa.semantics import atomic_ops, mbarrier
from openptx.numerics import Bits
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.runtime import load

OPERATIONS = {
    "add.u32": lambda old, b: (old + b) & 0xFFFFFFFF,
    "min.s32": lambda old, b: min(old, b, key=lambda v: v - ((v >> 31) << 32)),
    "max.u32": max,
    "and.b32": lambda old, b: old & b,
    "xor.b32": lambda old, b: old ^ b,
    "exch.b32": lambda old, b: b,
    "inc.u32": lambda old, b: 0 if old >= b else old + 1,
    "dec.u32": lambda old, b: b if old == 0 or old > b else old - 1,
    "add.f32": lambda old, b: int(single(old, b)),
}


def single(a: int, b: int) -> np.uint32:
    x, y = (np.array([v], np.uint32).view(np.float32) for v in (a, b))
    return (x + y).view(np.uint32)[0]


TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 words, .param .u64 index, .param .u64 value, .param .u64 old) {{
    .reg .u64 w, i, v, o, at;
    .reg .b32 t, j, b, d;
    ld.param.u64 w, [words];
    ld.param.u64 i, [index];
    ld.param.u64 v, [value];
    ld.param.u64 o, [old];
    mov.u32 t, %ctaid.x;
    mov.u32 j, %tid.x;
    mad.lo.u32 t, t, 128, j;
    mul.wide.u32 at, t, 4;
    add.u64 i, i, at;
    add.u64 v, v, at;
    add.u64 o, o, at;
    ld.global.b32 j, [i];
    ld.global.b32 b, [v];
    mul.wide.u32 at, j, 4;
    add.u64 w, w, at;
    atom.global.{op} d, [w], b;
    st.global.b32 [o], d;
    ret;
}}
"""


@pytest.mark.parametrize("words", [1, 3, 500])
@pytest.mark.parametrize("op", OPERATIONS)
def test_in_the_order_of_the_lanes(op: str, words: int) -> None:
    chance = np.random.default_rng(words)
    memory = chance.integers(0, 1 << 32, words, np.uint32)
    value = chance.integers(0, 1 << 32, 512, np.uint32)
    if op.endswith("f32"):
        memory, value = (chance.normal(size=n).astype(np.float32).view(np.uint32) for n in (words, 512))
    elif op[:3] in ("inc", "dec"):
        memory, value = memory % 5, value % 7
    index = chance.integers(0, words, 512, np.uint32)
    expected, found = memory.copy(), []
    for i, b in zip(index.tolist(), value.tolist(), strict=True):
        found.append(int(expected[i]))
        expected[i] = OPERATIONS[op](int(expected[i]), b)
    old = np.zeros(512, np.uint32)
    load(TEXT.format(op=op))["k"](4, 128, (memory, index, value, old), engine="interp")
    assert old.tolist() == found
    assert (memory == expected).all()


def test_sums_that_want_care_go_round_by_round() -> None:
    memory = np.array([0x7F7FFFFF], np.uint32)  # the largest number: its double is infinite
    value = np.full(128, 0x7F7FFFFF, np.uint32)
    index, old = np.zeros(128, np.uint32), np.zeros(128, np.uint32)
    assert atomic_updates.LONG < 128
    load(TEXT.format(op="add.f32"))["k"](1, 128, (memory, index, value, old), engine="interp")
    assert old.tolist() == [0x7F7FFFFF, *[0x7F800000] * 127]
    assert memory[0] == 0x7F800000


@pytest.mark.parametrize("update", [mbarrier.change, mbarrier.report_on])
@pytest.mark.parametrize("seed", range(3))
def test_mbarriers_one_by_one_are_what_their_meaning_says(update: Callable[..., Bits], seed: int) -> None:
    chance = np.random.default_rng(seed)
    size = 4000
    words = chance.integers(0, 1 << 64, size, np.uint64)
    words[::2] &= np.uint64(~(1 << 62) & (1 << 64) - 1)
    arrivals, dropped, tx = (chance.integers(0, 1 << 64, size, np.uint64) for _ in range(3))
    arrivals[: size // 2] = words[: size // 2] & np.uint64(mbarrier.COUNT)  # the last ones that were pending
    arrivals[: size // 4] &= np.uint64(mbarrier.COUNT_V1)
    dropped[::3] = 0
    tx[: size // 2] = -(words[: size // 2] >> np.uint64(mbarrier.BYTES))
    tx[::5] = 0
    x = NumpyMachine()
    bits = [Bits(x, 64, values) for values in (words, arrivals, dropped, tx)]
    expected = np.broadcast_to(update(x, *bits).v, size).tolist()
    step = atomic_updates.STEPS[update]
    found = [step(*each) for each in zip(*(values.tolist() for values in (words, arrivals, dropped, tx)), strict=True)]
    assert found == expected
    changed = [(old ^ new) >> 63 for old, new in zip(words.tolist(), found, strict=True)]
    assert 100 < sum(changed) < size - 100


def test_mbarriers_go_one_by_one_where_they_are_few() -> None:
    few = atomic_updates.Queue(np.array([3, 3, 1, 5], np.int64))
    many = atomic_updates.Queue(np.arange(200, dtype=np.int64))
    assert atomic_updates.goes_one_by_one(few, mbarrier.change)
    assert not atomic_updates.goes_one_by_one(many, mbarrier.change)
    assert not atomic_updates.goes_one_by_one(few, atomic_ops.increment)
