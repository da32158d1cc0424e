"""Invalid images are refused by an error code, whatever sizes and addresses they claim."""

import random
import struct
from ctypes import byref

from driver_calls import CUDA, Handle, context

INVALID_IMAGE, INVALID_PTX, NO_BINARY = 200, 218, 209
FATBIN, WRAPPER = 0xBA55ED50, 0x466243B1
RANDOM = random.Random(1).randbytes(60)

context()
for image, result in (
    (b"", INVALID_IMAGE),
    (b"garbage", INVALID_IMAGE),
    (b".version 8.0\n.target sm_90\n.visible .entry k() { foo; }", INVALID_PTX),
    (b".version", INVALID_PTX),
    (struct.pack("<IHHQ", FATBIN, 1, 16, 1 << 62), INVALID_IMAGE),
    (struct.pack("<IHHQ", FATBIN, 1, 16, 1 << 29), INVALID_IMAGE),
    (struct.pack("<IHHQ", FATBIN, 1, 16, 40) + RANDOM, NO_BINARY),
    (struct.pack("<IIQQ", WRAPPER, 1, 8, 0), INVALID_IMAGE),
    (struct.pack("<IIQQ", WRAPPER, 1, 0, 0), INVALID_IMAGE),
    (b"\x7fELF" + bytes(100), INVALID_IMAGE),
    (b"\x7fELF" + RANDOM, INVALID_IMAGE),
):
    found = CUDA.cuModuleLoadData(byref(Handle()), image)
    assert found == result, (image[:16], found, result)
