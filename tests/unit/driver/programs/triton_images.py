"""Triton loads machine code: the PTX in Triton's cache is run instead; without it the code is refused."""

import os
import struct
import tempfile
from ctypes import byref
from pathlib import Path

from driver_calls import CUDA, Handle, context

NO_BINARY = 209
PTX = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }"
# A header that tables of no entries follow, then something of each kernel's own.
CUBINS = [b"\x7fELF" + struct.pack("<28xQQ6xHHHH2x", 64 + 40, 64, 0, 0, 0, 0) + bytes([kind] * 40) for kind in (1, 2)]

context()
with tempfile.TemporaryDirectory() as folder:
    os.environ["TRITON_CACHE_DIR"] = folder
    kept = Path(folder, "HASH")
    kept.mkdir()
    (kept / "k.cubin").write_bytes(CUBINS[0])
    (kept / "k.ptx").write_text(PTX)
    module, function = Handle(), Handle()
    assert CUDA.cuModuleLoadData(byref(module), CUBINS[0]) == 0
    assert CUDA.cuModuleGetFunction(byref(function), module, b"k") == 0
    assert CUDA.cuModuleLoadData(byref(module), CUBINS[1]) == NO_BINARY
    del os.environ["TRITON_CACHE_DIR"]
