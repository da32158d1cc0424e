"""Triton and CuTe DSL load machine code: the PTX that they keep beside it is run; without it the code is refused."""

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

    # CuTe DSL loads a fat binary of such a file, and keeps it where it is told to, if it is told to.
    bare, code = Path(folder, "k.sm_90a"), CUBINS[1]
    entry = struct.pack("<HHIQ16xI28x", 2, 0x101, 64, len(code), 90) + code
    image = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry
    bare.with_suffix(".sm_90a.cubin").write_bytes(code)
    bare.with_suffix(".sm_90a.ptx").write_text(PTX)
    os.environ["CUTE_DSL_DUMP_DIR"] = folder
    assert CUDA.cuModuleLoadData(byref(module), image) == NO_BINARY
    os.environ["CUTE_DSL_KEEP"] = "ptx,cubin"
    assert CUDA.cuModuleLoadData(byref(module), image) == 0
    assert CUDA.cuModuleGetFunction(byref(function), module, b"k") == 0
    for name in ("TRITON_CACHE_DIR", "CUTE_DSL_DUMP_DIR", "CUTE_DSL_KEEP"):
        del os.environ[name]
