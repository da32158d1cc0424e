"""A thread asks for an attribute of the device while the main thread, which waits for it, holds Python's lock."""

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

value = ctypes.c_int()
call("cuDeviceGetAttribute", byref(value), 170, 0)
assert value.value == 0
call("cuDeviceGetAttribute", byref(value), 171, 0, result=1)
call("cuDeviceGetAttribute", byref(value), 0, 0, result=1)
call("cuDeviceGetAttribute", None, WARP_SIZE, 0, result=1)
call("cuDeviceGetAttribute", byref(value), WARP_SIZE, 1, result=101)
