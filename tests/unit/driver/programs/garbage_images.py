"""Invalid images are refused by an error code, whatever sizes and addresses they claim; PTX with errors, when it is
loaded and when it is added to a link."""

import random
import struct
from ctypes import addressof, byref, c_int, c_void_p, create_string_buffer

from driver_calls import CUDA, Handle, Size, call, context

INVALID_IMAGE, INVALID_PTX, NO_BINARY, UNSUPPORTED_VERSION = 200, 218, 209, 222
PTX, ERROR_BUFFER, ERROR_SIZE = 1, 5, 6
ROOM = 200
FATBIN, WRAPPER = 0xBA55ED50, 0x466243B1
RANDOM = random.Random(1).randbytes(60)

context()
for image, result in (
    (b"", INVALID_IMAGE),
    (b"garbage", INVALID_IMAGE),
    (b".version 8.0\n.target sm_90\n.visible .entry k() { foo; }", INVALID_PTX),
    (b".version", INVALID_PTX),
    (b".version 99.99\n.target sm_30\n.address_size 64\n", UNSUPPORTED_VERSION),
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


def added(text: bytes, result: int) -> str:
    """What is in the log after PTX was added to the link."""
    call("cuLinkAddData_v2", linking, PTX, text, Size(len(text)), b"a.ptx", 0, None, None, result=result)
    assert len(log.value) == size_of_log() - 1 < ROOM
    return log.value.decode()


def size_of_log() -> int:
    return values[1] or 0


linking, log = Handle(), create_string_buffer(ROOM)
values = (c_void_p * 2)(addressof(log), ROOM)
call("cuLinkCreate_v2", 2, (c_int * 2)(ERROR_BUFFER, ERROR_SIZE), values, byref(linking))
assert added(b".version 8.0\n.target sm_90\nret;", INVALID_PTX).startswith("error[PTX")
newest = added(b"// asks\n.version 99.99\n.target sm_30\n.address_size 64\n", UNSUPPORTED_VERSION)
assert newest.startswith(
    "ptxas application ptx input, line 2; fatal   : Unsupported .version 99.99; current version is '"
)
call("cuLinkComplete", linking, byref(Handle()), byref(Size()), result=INVALID_IMAGE)  # nothing was added
call("cuLinkDestroy", linking)
