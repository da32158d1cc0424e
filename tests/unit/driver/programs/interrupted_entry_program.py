"""Ctrl-C arrives as a call of the driver is entered: the call fails, and the program gets a KeyboardInterrupt."""

import ctypes
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from driver_calls import allocate, call, context

from openptx.driver.build import compiler

source = Path(__file__).resolve().parents[1] / "interrupted_call.c"
folder = tempfile.TemporaryDirectory()
shared = Path(folder.name) / "interrupted.so"
subprocess.run([compiler() or "cc", "-shared", "-fPIC", str(source), "-o", str(shared), "-ldl"], check=True)
functions: Any = {"holding the lock": ctypes.PyDLL(str(shared)), "without the lock": ctypes.CDLL(str(shared))}


context()
place = ctypes.c_uint64()
for how, library in functions.items():
    for function in library.allocate_interrupted, library.total_interrupted:
        result = None
        try:
            result = function(ctypes.byref(place))
            time.sleep(30)
        except KeyboardInterrupt:
            print(f"{how}: {result}, {place.value}")
        else:
            sys.exit(f"{how}: not interrupted: {result}, {place.value}")
call("cuCtxSynchronize")
assert allocate(16)
