"""Shadow memory of large allocations is allocated only where a kernel accesses them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from openptx.sanitize.races.shadow import Shadow


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_granules_of_bytes_take_memory_where_there_were_accesses() -> None:
    shadow = Shadow("device heap", 16 << 20, 0, 0, "global")
    shadow.cells[[5, 4_000_000], 1] = 7
    shadow.record_table()[4_000_000] = 3
    before = resident()
    shadow.split()
    assert resident() - before < 64 << 20  # all granules of bytes would be 805 MB
    assert shadow.records is not None
    assert np.flatnonzero(shadow.cells[:, 1]).tolist() == [*range(20, 24), *range(16_000_000, 16_000_004)]
    assert np.flatnonzero(shadow.records).tolist() == [*range(16_000_000, 16_000_004)]
