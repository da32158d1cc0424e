"""What `make wheels` puts into wheels: libraries for other processors and old C libraries; skipped without Zig."""

from __future__ import annotations

import importlib.util
import re
import struct
import sys
from pathlib import Path

import pytest

from openptx.driver.build import DRIVER, LIBRARIES, compile_libraries

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed: make wheels"),
]
MACHINES = {"x86_64": 62, "aarch64": 183}
"""`e_machine` of ELF."""


@pytest.mark.parametrize("processor", MACHINES)
def test_libraries_for_a_processor(processor: str, tmp_path: Path) -> None:
    command = (sys.executable, "-m", "ziglang", "cc", "-target", f"{processor}-linux-gnu.2.17")
    compile_libraries(tmp_path, command, links=False)
    for one in LIBRARIES:
        data = (tmp_path / one.folder / one.soname).read_bytes()
        assert struct.unpack_from("<H", data, 18) == (MACHINES[processor],)
        versions = [tuple(map(int, v.split(b"."))) for v in re.findall(rb"GLIBC_([0-9.]+)", data)]
        assert max(versions, default=(0,)) <= (2, 17)
        for name in one.also:
            assert not (tmp_path / one.folder / name).is_symlink()
            assert one.soname.encode() in (tmp_path / one.folder / name).read_bytes()
    assert b"cuLaunchKernel_ptsz" in (tmp_path / DRIVER.soname).read_bytes()
