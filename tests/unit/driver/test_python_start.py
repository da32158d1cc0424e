"""`cuda.bindings.runtime` calls OpenPTX's CUDA runtime: a module with such capsules in its place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import compiler

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
MODULE = """
import ctypes
new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
NAME = b"cudaError_t (int *)"
__pyx_capi__ = {name: new(1, NAME, None) for name in ("_cudaGetDeviceCount", "_cudaLaunchKernel", "other")}
"""
PROGRAM = """
import ctypes, sys
from cuda.bindings._internal import runtime, runtime_ptds

get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
library = ctypes.CDLL("libcudart.so.13")
for module in (runtime, runtime_ptds):
    found = {name: get(capsule, module.NAME) for name, capsule in module.__pyx_capi__.items()}
    launch = library.cudaLaunchKernel_ptsz if module is runtime_ptds else library.cudaLaunchKernel
    wanted = {"_cudaGetDeviceCount": library.cudaGetDeviceCount, "_cudaLaunchKernel": launch}
    assert found == {"other": 1} | {name: ctypes.cast(f, ctypes.c_void_p).value for name, f in wanted.items()}, found
assert sys.modules["sitecustomize"].OWN
"""


def test_the_runtime_of_cuda_bindings_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cuda" / "bindings" / "_internal"
    folder.mkdir(parents=True)
    for name, text in {"runtime": MODULE, "runtime_ptds": MODULE, "__init__": "", "../__init__": ""}.items():
        (folder / f"{name}.py").write_text(text)
    (tmp_path / "sitecustomize.py").write_text("OWN = True")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    command = [sys.executable, "-m", "openptx", "exec", "--", sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
