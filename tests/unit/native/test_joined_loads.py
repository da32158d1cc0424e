"""Neighbouring elements at a separate address per lane are one load for each lane, with the same results."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.settings import Options

LENGTH = 37  # elements of a row: no multiple of a run


def kernel(width: int, offsets: tuple[int, ...], between: str = "") -> str:
    """A thread mixes elements of its row in a loop; what is `between` two loads may write memory."""
    size = width // 8
    loads = [
        f"ld.global.b{width} %x, [%a+{size * at}]; mul.lo.u{width} %s, %s, 3; xor.b{width} %s, %s, %x;"
        for at in offsets
    ]
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 prows, .param .u64 pout, .param .u32 pn) {{
.reg .b64 %a, %rows, %out, %e; .reg .b32 %t, %r, %i, %n; .reg .pred %p; .reg .b{width} %x, %s;
ld.param.u64 %a, [pa]; ld.param.u64 %rows, [prows]; ld.param.u64 %out, [pout]; ld.param.u32 %n, [pn];
mov.u32 %t, %tid.x; mad.wide.u32 %rows, %t, 4, %rows; mad.wide.u32 %out, %t, {size}, %out; ld.global.u32 %r, [%rows];
mad.wide.u32 %a, %r, {size}, %a; mov.b{width} %s, 7; mov.u32 %i, 0;
setp.ge.u32 %p, %t, %n; @%p bra DONE;
LOOP: {between.join(loads)}
add.u64 %a, %a, {4 * size}; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 8; @%p bra LOOP;
DONE: st.global.b{width} [%out], %s; ret; }}"""


def starts(kind: str, count: int) -> Any:
    rows = {"apart": LENGTH * np.arange(64), "rows": 9 + np.arange(64), "one": np.full(64, LENGTH)}[kind]
    return np.resize(rows, count).astype(np.uint32)


def results(text: str, width: int, rows: Any, n: int) -> list[Any]:
    found: list[Any] = []
    with settings.cache_at(None):
        for engine in ("interp", "native"):
            a = (np.arange(64 * LENGTH + 40) * 2654435761).astype(f"u{width // 8}")
            out = np.zeros(64, a.dtype)
            openptx.load(text)["k"](1, 64, (a, rows, out, n), engine=engine, workers=1)
            found += [a, out]
    return found


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("offsets", [(0, 1, 2, 3), (3, 1, 2, 0, 1), (-2, -1, 0, 1, 2, 3, 4, 5, 7)], ids=str)
@pytest.mark.parametrize("kind", ["apart", "rows", "one"])
def test_results_are_those_of_separate_loads(kind: str, offsets: tuple[int, ...], width: int) -> None:
    text, rows = kernel(width, offsets), starts(kind, 64) + 2
    for n in (64, 45, 1):
        a, out, b, found = results(text, width, rows, n)
        np.testing.assert_array_equal(found, out)
        np.testing.assert_array_equal(b, a)


def test_a_store_between_loads_is_seen() -> None:
    between = "add.u32 %n, %n, 1; st.global.u32 [%a+4], %n; st.global.u32 [%a+8], %s;"
    a, out, b, found = results(kernel(32, (0, 1, 2, 3), between), 32, starts("apart", 64), 64)
    np.testing.assert_array_equal(found, out)
    np.testing.assert_array_equal(b, a)


@pytest.mark.parametrize("n", [64, 50])
def test_the_load_beyond_the_array_faults(n: int) -> None:
    """It is named alone, although it is one of four."""
    rows = starts("apart", 64)
    rows[49] += 64 * LENGTH + 40 - 49 * LENGTH - 30  # its eighth run has two elements in the array
    texts: list[str] = []
    for engine in ("interp", "native"):
        a, out = np.zeros(64 * LENGTH + 40, np.uint32), np.zeros(64, np.uint32)
        with pytest.raises(openptx.Fault) as caught, settings.cache_at(None):
            openptx.load(kernel(32, (0, 1, 2, 3)))["k"](1, 64, (a, rows, out, n), engine=engine, workers=1)
        texts.append(str(caught.value))
    assert "thread (49, 0, 0)" in texts[0]
    assert [re.sub(r"0x\w+", "", text) for text in texts[1:]] == [re.sub(r"0x\w+", "", texts[0])]


def joined(text: str) -> int:
    module = openptx.load(text)
    made = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((64, 1, 1), False))
    return len(re.findall(r"call .*shared\.joined", made.text))


def test_one_call_loads_a_run() -> None:
    assert joined(kernel(32, (0, 1, 2, 3))) == 1
    assert joined(kernel(64, (0, 1, 2, 3))) == 2
    assert joined(kernel(32, (0, 1, 2))) == 0
    assert joined(kernel(32, (0, 1, 2, 3), "st.global.u32 [%out], %s;")) == 0
    assert joined(kernel(32, (0, 1, 2, 3), "membar.gl;")) == 0
    assert joined(kernel(32, (0, 1, 2, 3), "ld.acquire.gpu.global.u32 %r, [%rows];")) == 0
    assert joined(kernel(32, (0, 1, 2, 3)).replace("ld.global.b32 %x", "ld.volatile.global.b32 %x")) == 0
    assert joined(kernel(32, (0, 1, 2, 3), "add.u64 %a, %a, 8;")) == 0
