"""The order in which other workers see accesses: fences, and strong loads and stores, which LLVM must not reorder."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options

HEAD = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 px, .param .u64 pr, .param .u32 pn) {
"""
ONE = """.reg .b32 a, b; .reg .b64 x, r; .reg .pred p; .shared .b32 s;
ld.param.u64 x, [px]; ld.param.u64 r, [pr]; ld.param.u32 b, [pn]; setp.gt.u32 p, b, 9; mov.u32 a, 1; """

# fmt: off
ORDERS = {
    "fence.sc.gpu;":                           ["seq_cst"],
    "membar.gl;":                              ["seq_cst"],
    "@p membar.sys;":                          ["seq_cst"],
    "fence.acq_rel.gpu;":                      ["acq_rel"],
    "fence.sc.cta;":                           [],
    "membar.cta;":                             [],
    "fence.proxy.async;":                      [],
    "ld.acquire.gpu.global.u32 b, [x];":       ["acquire"],
    "ld.volatile.u32 b, [x];":                 ["acquire"],
    "st.release.gpu.global.u32 [x], a;":       ["release"],
    "@p st.volatile.global.u32 [x], a;":       ["release"],
    "red.relaxed.gpu.global.add.u32 [x], a;":  ["release", "acquire"],
    "ld.volatile.shared.u32 b, [s];":          [],
    "ld.global.u32 b, [x]; st.global.u32 [x], b;": [],
}
# fmt: on


@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize("body", ORDERS)
def test_fences(body: str, locked: bool) -> None:
    """Where there is one worker, nobody sees an order."""
    module = openptx.load(f"{HEAD}{ONE}{body} st.global.u32 [r], b; ret; }}")
    made = lower_kernel(module.program, module["k"].function, module.image, Options((32, 1, 1), locked))
    found = [line.split()[1] for line in made.text.splitlines() if line.startswith("fence ")]
    assert found == (ORDERS[body] if locked else [])


STORE_BUFFERS = """.reg .b32 t, c, i, n, seen; .reg .b64 x, y, r; .reg .pred p;
ld.param.u64 x, [px]; ld.param.u64 r, [pr]; ld.param.u32 n, [pn]; mov.u32 c, %ctaid.x;
shr.u32 i, c, 1; mad.wide.u32 x, i, 8192, x; add.u64 y, x, 4096; mul.lo.u32 i, c, n; mad.wide.u32 r, i, 4, r;
and.b32 c, c, 1; setp.ne.u32 p, c, 0; mov.u32 i, 0; @p bra OTHER;
ONE: add.u32 i, i, 1; st.relaxed.gpu.global.u32 [x], i; FENCE ld.relaxed.gpu.global.u32 seen, [y];
st.global.u32 [r], seen; add.u64 r, r, 4; setp.lt.u32 p, i, n; @p bra ONE; ret;
OTHER: add.u32 i, i, 1; st.relaxed.gpu.global.u32 [y], i; FENCE ld.relaxed.gpu.global.u32 seen, [x];
st.global.u32 [r], seen; add.u64 r, r, 4; setp.lt.u32 p, i, n; @p bra OTHER; ret; }"""


@pytest.mark.parametrize("fence", ["membar.gl;", "fence.sc.gpu;"])
def test_a_load_does_not_overtake_a_store_before_a_fence(fence: str) -> None:
    """Of two CTAs that each store a number and load the other's, one sees what the other has stored. An x86 processor
    holds stores back: where the fence was none, one comparison in three was wrong while two workers ran."""
    pairs, count = 24, 1 << 15
    x, seen = np.zeros((pairs, 2048), np.uint32), np.zeros((pairs, 2, count), np.uint32)
    with settings.cache_at(None):
        text = HEAD + STORE_BUFFERS.replace("FENCE", fence)
        openptx.load(text)["k"](2 * pairs, 1, (x, seen, count), engine="native", workers=2)
    for ours, theirs in seen.astype(np.int64):
        before = ours < count  # they had not stored `ours + 1` yet, so after they did they saw our number at least
        assert np.all(theirs[ours[before]] >= np.flatnonzero(before) + 1)


WIDE = """.reg .b32 a, b; .reg .b64 x, v; .reg .b128 q; .shared .align 16 .b8 s[16]; ld.param.u64 x, [px]; mov.u64 v, 1;
mov.b128 q, {v, v}; """


@pytest.mark.parametrize(
    ("body", "parted"),
    [
        ("ld.relaxed.gpu.global.b128 q, [x]; st.global.b128 [x], q;", True),
        ("st.release.gpu.b128 [x], q;", True),
        ("atom.relaxed.gpu.global.exch.b128 q, [x], q; st.global.b128 [x], q;", False),
        ("ld.global.b128 q, [x]; st.global.b128 [x], q; st.relaxed.gpu.global.u64 [x], v;", False),
        ("st.volatile.shared.b128 [s], q;", False),
    ],
)
def test_one_worker_runs_strong_accesses_of_128_bits(body: str, parted: bool) -> None:
    """They are moved in two halves; other workers saw words with the halves of two stores."""
    module = openptx.load(f"{HEAD}{WIDE}{body} ret; }}")
    made = lower_kernel(module.program, module["k"].function, module.image, Options((32, 1, 1), False))
    assert made.metadata.one_worker == parted
