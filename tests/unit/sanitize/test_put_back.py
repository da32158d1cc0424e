"""A launch that is repeated starts with the original memory, whichever pointers its stores used."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.device import contents
from openptx.device.contents import Contents
from openptx.device.memory_view import MemoryView
from openptx.sanitize.entry import watch
from openptx.sanitize.options import Options

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 given) {
    .reg .b64 p, q, r, s; .reg .b32 v; .reg .pred c;
    ld.param.u64 p, [a]; ld.param.u64 q, [b]; ld.param.u64 s, [given];
"""
INCREMENT = "ld.global.u32 v, [r]; add.u32 v, v, 1; st.global.u32 [r], v; ret; }"
"""By all threads, to the same word: a race, hence a doubt."""

ADDRESSES = {
    "loaded from memory": "st.global.u64 [p], q; ld.global.u64 r, [p];",
    "a difference of parameters": "sub.s64 r, q, p; add.s64 r, p, r;",
    "a select of parameters": "setp.eq.u64 c, s, 0; selp.b64 r, q, p, c;",
    "an index that leaves its array": "add.s64 r, p, s;",
    "the parameter itself": "mov.u64 r, q;",
}


def base_of(name: str, kernel: openptx.Kernel, args: list[object], monkeypatch: pytest.MonkeyPatch) -> int:
    """The device address of the argument of this name."""
    found = dict[str, int]()

    class Seen(Contents):
        def __init__(self, memory: MemoryView) -> None:
            found.update((name.split("`")[1], address) for name, address in memory.pointers())
            super().__init__(memory)

    with monkeypatch.context() as patch:
        patch.setattr(contents, "Contents", Seen)
        watch(kernel, 1, 32, args, Options(frozenset(("race",)), engine="native"))
    return found[name]


@pytest.mark.parametrize("way", ADDRESSES)
def test_words_are_incremented_once(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = openptx.load(HEAD + ADDRESSES[way] + INCREMENT)["k"]
    a, b = np.zeros(64, np.uint64), np.zeros(64, np.uint32)
    given = 0
    if way == "an index that leaves its array":
        given = base_of("b", kernel, [a, b, 0], monkeypatch) - base_of("a", kernel, [a, b, 0], monkeypatch)
        b[:] = 0
    report = watch(kernel, 1, 32, [a, b, given], Options(frozenset(("race",)), engine="native"))
    assert report.findings
    assert b[0] == 1
    assert not b[1:].any()


def test_overlapping_views_are_put_back() -> None:
    kernel = openptx.load(HEAD + "add.s64 r, p, 16;" + INCREMENT)["k"]
    whole = np.zeros(64, np.uint32)
    report = watch(kernel, 1, 32, [whole, whole[4:], 0], Options(frozenset(("race",)), engine="native"))
    assert report.findings
    assert whole[4] == 1
    assert whole.sum() == 1


def test_variables_are_put_back_between_schedules() -> None:
    text = """.version 8.0
.target sm_80
.address_size 64
.global .u32 count;
.visible .entry k(.param .u64 a) {
    .reg .b64 p; .reg .b32 v, i;
    ld.param.u64 p, [a]; mov.u32 i, %ctaid.x; mad.wide.u32 p, i, 4, p;
    atom.global.add.u32 v, [count], 1; st.global.u32 [p], v; ret;
}"""
    a = np.zeros(4, np.uint32)
    assert openptx.sanitize(openptx.load(text)["k"], 4, 1, (a,), schedules=3) == []
    assert sorted(a.tolist()) == [0, 1, 2, 3]


@pytest.mark.parametrize("pointer", ["parameter", "loaded"])
def test_memory_behind_plain_pointers_is_put_back(pointer: str) -> None:
    """A program that allocates device memory passes its addresses, not arrays."""
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a) {
    .reg .b64 p, q; .reg .b32 v, i; .reg .pred c;
    ld.param.u64 p, [a]; LOAD mov.u32 i, %ctaid.x;
    atom.global.add.u32 v, [p], 1; setp.gt.u32 c, v, 3; @c trap;
    mad.wide.u32 q, v, 4, p; st.global.u32 [q+8], i; ret;
}""".replace("LOAD", "ld.global.u64 p, [p];" if pointer == "loaded" else "")
    with openptx.memory.allocate(64) as memory, openptx.memory.allocate(64) as other:
        words = memory.array(np.uint32)
        other.array(np.uint64)[0] = memory.address
        given = other.address if pointer == "loaded" else memory.address
        assert openptx.sanitize(openptx.load(text)["k"], 4, 1, (given,), schedules=3, engine="interp") == []
        assert words[0] == 4
