"""A launch with too many happens-before relations to track completes without race detection."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.sanitize.races import views

TEXT = """.version 8.0
.target sm_80
.address_size 64
// Each thread adds to a sum and waits for all others; then it writes the sum to its place.
.visible .entry k(.param .u64 sum, .param .u64 count, .param .u64 out, .param .u32 n) {
    .reg .b64 %rd<9>; .reg .b32 %r<12>; .reg .pred %p;
    ld.param.u64 %rd1, [sum]; ld.param.u64 %rd2, [count]; ld.param.u64 %rd3, [out]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
    atom.add.u32 %r6, [%rd1], %r5;
    atom.acq_rel.gpu.add.u32 %r6, [%rd2], 1;
A:  ld.acquire.gpu.u32 %r7, [%rd2];
    setp.lt.u32 %p, %r7, %r1;
    @%p bra A;
    ld.relaxed.gpu.u32 %r8, [%rd1];
    mul.wide.u32 %rd4, %r5, 4; add.u64 %rd5, %rd3, %rd4;
    ld.global.u32 %r9, [%rd5]; add.u32 %r8, %r8, %r9;
    st.global.u32 [%rd5], %r8;
    ret;
}
"""


@pytest.mark.parametrize("shape", [(8, 32), (2, 16)])
def test_the_kernel_is_not_stopped(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """However few threads it has: each of them may synchronise any number of times."""
    monkeypatch.setattr(views, "LIMIT", 1 << 14)
    n = shape[0] * shape[1]
    total, count, out = np.zeros(1, np.uint32), np.zeros(1, np.uint32), np.arange(n, dtype=np.uint32)
    again = "atom.acq_rel.gpu.add.u32 %r6, [%rd2], 0;\n"
    text = TEXT.replace("    ret;", 8 * again + "    ret;")
    openptx.load(text)["k"](*shape, (total, count, out, n), sanitize="race,init", engine="interp")
    assert count[0] == n
    assert (out == n * (n - 1) // 2 + np.arange(n)).all()
    assert "races were not watched to the end: the order of its accesses takes more" in caplog.text


def test_what_was_found_until_then_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum is stored, not added, by the first instruction of each thread."""
    monkeypatch.setattr(views, "LIMIT", 1 << 12)
    text = TEXT.replace("atom.add.u32 %r6, [%rd1], %r5;", "st.global.u32 [%rd1], %r5;")
    arrays = np.zeros(1, np.uint32), np.zeros(1, np.uint32), np.zeros(256, np.uint32)
    found = openptx.sanitize(openptx.load(text)["k"], 8, 32, (*arrays, 256), tools="race,init")
    assert "data-race" in {f.name for f in found}
    assert arrays[1][0] == 256
