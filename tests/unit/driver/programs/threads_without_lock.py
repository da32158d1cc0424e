"""A thread asks for facts about the device while the main thread, which waits for it, holds Python's lock."""

import ctypes
import subprocess
import tempfile
from ctypes import byref
from pathlib import Path
from typing import Any

from driver_calls import call, context

from openptx.driver.build import compiler

WARP_SIZE, MAJOR = 10, 75
source = Path(__file__).resolve().parents[1] / "asking_thread.c"
folder = tempfile.TemporaryDirectory()
shared = Path(folder.name) / "asking.so"
subprocess.run(
    [compiler() or "cc", "-shared", "-fPIC", str(source), "-o", str(shared), "-ldl", "-lpthread"], check=True
)
library: Any = ctypes.PyDLL(str(shared))  # its calls keep the lock
context()
assert library.asked(WARP_SIZE) == 32
assert library.asked(MAJOR) == 9
library.device_name.restype = ctypes.c_char_p
assert library.device_name() == b"OpenPTX sm_90"

value = ctypes.c_int()
call("cuDeviceGetAttribute", byref(value), 170, 0)
assert value.value == 0
call("cuDeviceGetAttribute", byref(value), 171, 0, result=1)
call("cuDeviceGetAttribute", byref(value), 0, 0, result=1)
call("cuDeviceGetAttribute", None, WARP_SIZE, 0, result=1)
call("cuDeviceGetAttribute", byref(value), WARP_SIZE, 1, result=101)

name, minor = ctypes.create_string_buffer(8), ctypes.c_int()
call("cuDeviceGetName", name, 8, 0)
assert name.value == b"OpenPTX"
call("cuDeviceGetName", name, 0, 0, result=1)
call("cuDeviceGetName", None, 8, 0, result=1)
call("cuDeviceGetName", name, 8, 1, result=101)
call("cuDeviceComputeCapability", byref(value), byref(minor), 0)
assert (value.value, minor.value) == (9, 0)
call("cuDeviceComputeCapability", byref(value), None, 0, result=1)
call("cuDeviceComputeCapability", byref(value), byref(minor), 2, result=101)
call("cuDeviceGet", byref(value), 1, result=101)
call("cuDeviceGetCount", None, result=1)
