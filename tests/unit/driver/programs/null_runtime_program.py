"""Every function of libcudart.so called with null pointers, zeros, and pointers to zeroed memory."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import re
from pathlib import Path

import openptx.driver

LIBRARY = ctypes.CDLL("libcudart.so.13")
UNKNOWN = 999
"""What a mistake in OpenPTX returns."""
CALLING = re.compile("HostFunc|AddCallback|UserObjectCreate|RegisterCallback")
"""They call functions of the host."""
LEFT_OUT = "cudaCreateChannelDesc", "cudaDeviceReset", "cudaGetErrorName", "cudaGetErrorString"
"""They return something else, or end what the others need."""
BYTES = 1 << 16

faulthandler.enable()
last = os.open(os.environ["OPENPTX_FUZZ_LAST"], os.O_WRONLY | os.O_CREAT)
sources = [
    path for path in Path(openptx.driver.__file__).with_name("cudart").iterdir() if path.suffix in (".c", ".def")
]
named = {name for path in sources for name in re.findall(r"\bcuda[A-Z]\w+", path.read_text("utf-8"))}
names = sorted(n for n in named if hasattr(LIBRARY, n) and not CALLING.search(n) and n not in LEFT_OUT)
assert len(names) > 200, len(names)
zeros = ctypes.create_string_buffer(BYTES)
there = ctypes.addressof(zeros)
kinds = [0] * 12, [there] * 12, [there, 0] * 6, [0, there] * 6
LIBRARY.cudaSetDevice(0)
for kind in kinds:
    for name in names:
        ctypes.memset(zeros, 0, BYTES)
        os.pwrite(last, f"{name} {kind}".ljust(400).encode(), 0)
        assert getattr(LIBRARY, name)(*map(ctypes.c_uint64, kind)) != UNKNOWN, name
print(f"{len(kinds)} kinds of arguments")
