"""Shadow memory of large allocations is allocated only where a kernel accesses them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import openptx
from openptx.sanitize.entry import watch
from openptx.sanitize.options import Options
from openptx.sanitize.races import shadow
from openptx.sanitize.races.shadow import Shadow


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_granules_of_bytes_take_memory_where_there_were_accesses() -> None:
    made = Shadow("device heap", 16 << 20, 0, 0, "global")
    made.cells[[5, 4_000_000], 1] = 7
    made.record_table()[4_000_000] = 3
    before = resident()
    made.split()
    assert resident() - before < 64 << 20  # all granules of bytes would be 805 MB
    assert made.records is not None
    assert np.flatnonzero(made.cells[:, 1]).tolist() == [*range(20, 24), *range(16_000_000, 16_000_004)]
    assert np.flatnonzero(made.records).tolist() == [*range(16_000_000, 16_000_004)]


MANY_BLOCKS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .shared .b32 s[1024];
    .reg .b64 p; .reg .b32 t, v; .reg .pred q;
    ld.param.u64 p, [out]; mov.u32 t, %tid.x; shl.b32 v, t, 2; mov.u32 t, s; add.u32 t, t, v;
    st.shared.u32 [t], 1; bar.warp.sync -1; ld.shared.u32 v, [t];
    mov.u32 t, %ctaid.x; setp.eq.u32 q, t, 4095; @q st.global.u32 [p], v;
    ret;
}
"""


def test_blocks_that_have_ended_take_no_shadow_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = openptx.load(MANY_BLOCKS)["k"]
    arguments: list[object] = [np.zeros(1, np.uint32)]
    shape = kernel, 4096, 32, arguments
    everything = 4096 * 4096 * shadow.GRANULE_BYTES // 4
    monkeypatch.setattr(shadow, "LIMIT", everything * 3 // 4)
    assert not watch(*shape, Options(frozenset({"race"}), engine="interp")).limits
    monkeypatch.setattr(shadow, "LIMIT", everything // 4096)
    (limit,) = watch(*shape, Options(frozenset({"race"}), engine="interp")).limits
    assert limit.startswith("races in shared memory were not watched")
