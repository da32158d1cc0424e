"""Atomics at words at known distances, of which no lane changes another's, are done for all lanes at once."""

from __future__ import annotations

import re

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.settings import Options

OPERATIONS = {
    "add.u32": 32, "max.u64": 64, "exch.b64": 64, "dec.u32": 32, "cas.b32": 32, "add.f32": 32, "add.f64": 64,
    "add.noftz.f16": 16,
}  # fmt: skip
DESCENDING, APART = "%t; sub.u32 %u, 71, %u", "%t; mul.lo.u32 %u, %u, 3"
CASES = (
    *((operation, "global", "%t", True) for operation in OPERATIONS),
    ("add.u32", "global", "%t", False), ("add.f32", "shared", "%t", True), ("cas.b32", "shared", "%t", True),
    ("add.f32", "global", DESCENDING, True), ("add.u32", "global", APART, True), ("add.f64", "global", APART, False),
)  # fmt: skip


def kernel(operation: str, space: str = "global", guard: str = "", read: bool = True, word: str = "%t") -> str:
    w = OPERATIONS[operation]
    more = ", %v" if operation.startswith("cas") else ""
    place, before, after = "%o", "", ""
    if space == "shared":
        place, before = "%s", f"ld.global.b{w} %v, [%o]; st.shared.b{w} [%s], %v;"
        after = f"ld.shared.b{w} %v, [%s]; st.global.b{w} [%o], %v;"
    return f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u64 pold, .param .u32 pn) {{
.reg .b64 %i, %o, %q, %s; .reg .b32 %t, %n, %u; .reg .b{w} %v, %d; .reg .pred %p; .shared .align 8 .b8 s[2048];
ld.param.u64 %i, [pin]; ld.param.u64 %o, [pout]; ld.param.u64 %q, [pold]; ld.param.u32 %n, [pn];
mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, %n; mov.b64 %s, s; mad.wide.u32 %s, %t, {w // 8}, %s;
mad.wide.u32 %i, %t, {w // 8}, %i; mad.wide.u32 %q, %t, {w // 8}, %q; mov.u32 %u, {word};
mad.wide.u32 %o, %u, {w // 8}, %o; {before} ld.global.b{w} %v, [%i];
{guard} atom.{space}.{operation} %d, [{place}], %v{more}; {after}
{f"st.global.b{w} [%q], %d;" if read else ""} ret; }}"""


@pytest.mark.parametrize(("operation", "space", "word", "read"), CASES)
def test_words_apart_are_updated(operation: str, space: str, word: str, read: bool) -> None:
    """By all lanes of a warp, some of one, and none."""
    w, random, n = OPERATIONS[operation], np.random.default_rng(3), 41
    given = random.integers(0, 4 if operation[:3] in ("dec", "cas") else 1 << w, (2, 216), f"u{w // 8}")
    given[:, ::9], given[1, ::18] = 1, 1 << w - 2  # subnormal floats, and normal ones
    module, found = openptx.load(kernel(operation, space, "@%p", read, word)), list[bytes]()
    with settings.cache_at(None):
        for engine in ("interp", "native"):
            out, old = given[1].copy(), np.zeros(72, f"u{w // 8}")
            module["k"](1, 72, (given[0], out, old, n), engine=engine, workers=1)
            found.append(out.tobytes() + old[:n].tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("words", [71, 63, 1])
def test_a_row_beyond_its_end_is_a_fault_of_the_atomic(words: int) -> None:
    module, texts = openptx.load(kernel("add.u32")), list[str]()
    with settings.cache_at(None):
        for engine in ("interp", "native"):
            out, given = np.zeros(words, np.uint32), np.ones(72, np.uint32)
            with pytest.raises(openptx.Fault, match="atomic operation on 4 bytes outside") as fault:
                module["k"](1, 72, (given, out, given.copy(), 72), engine=engine, workers=1)
            texts.append(re.sub(r"0x[0-9a-f]+(?=[0-9a-f]{8}\b)", "", str(fault.value)))  # each launch may have another
    assert texts[0] == texts[1]


def lowered(text: str, locked: bool = False) -> str:
    module = openptx.load(text)
    return pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((64, 1, 1), locked)).text


def test_only_words_apart_are_updated_at_once() -> None:
    at_once = re.compile(r"add <32 x i32> %v\d+, %v\d+\n")
    assert at_once.search(lowered(kernel("add.u32")))
    assert at_once.search(lowered(kernel("add.u32", word=APART)))
    assert not at_once.search(lowered(kernel("add.u32"), locked=True))
    assert not at_once.search(lowered(kernel("add.u32", word="5")))


SCATTERED = "%t; mul.lo.u32 %u, %u, %u; and.b32 %u, %u, 63"


@pytest.mark.parametrize("operation", ["add.f32", "add.f64", "add.u32"])
def test_lanes_that_meet_are_updated_in_order(operation: str) -> None:
    w, random = OPERATIONS[operation], np.random.default_rng(3)
    given = random.integers(0, 1 << w, (2, 72), f"u{w // 8}")
    given[:, ::5], given[0, 1::5] = 3, 1 << w - 9  # subnormal floats
    module, found = openptx.load(kernel(operation, word=SCATTERED)), np.zeros((2, 2, 72), given.dtype)
    with settings.cache_at(None):
        for (out, old), engine in zip(found, ("interp", "native"), strict=True):
            out[:] = given[1]
            module["k"](1, 72, (given[0], out, old, 72), engine=engine, workers=1)
    np.testing.assert_array_equal(found[0], found[1])


def test_operands_of_float_sums_are_flushed_at_once() -> None:
    """That a lane's is subnormal is not tested by each lane's update, which tests the old word alone."""
    text = lowered(kernel("add.f32", word=SCATTERED))
    assert len(re.findall(r"icmp ult i32 %v\d+, 8388608", text)) == 2  # of the old word, and of the sum
