"""numba-cuda's tests of the driver, which come with it, on libcuda.so.1 of OpenPTX."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: make clients")
pytest.importorskip("nvidia.cu13", reason="NVIDIA's compiler is not installed: make clients")
pytest.importorskip("filecheck", reason="filecheck is not installed, which numba-cuda's tests import: make clients")
pytest.importorskip("cffi", reason="cffi is not installed, which numba-cuda's tests import: make clients")

pytestmark = pytest.mark.sweep
PROGRAM = Path(__file__).with_name("numba_driver_tests.py")
MODULES = [
    "test_array_attr", "test_context_stack", "test_cuda_array_slicing", "test_cuda_auto_context",
    "test_cuda_devicerecord", "test_cuda_driver", "test_cuda_memory", "test_cuda_ndarray", "test_deallocations",
    "test_detect", "test_emm_plugins", "test_events", "test_host_alloc", "test_init", "test_inline_ptx", "test_is_fp16",
    "test_linkable_code", "test_linker", "test_managed_alloc", "test_module_callbacks", "test_nvjitlink", "test_nvrtc",
    "test_nvvm_driver", "test_pinned", "test_profiler", "test_reset_device", "test_runtime", "test_select_device",
    "test_streams",
]  # fmt: skip
NEED_CUPY = {
    "test_cuda_ndarray.TestCoreContiguous.test_kernel_with_buffer",
    "test_cuda_ndarray.TestCoreContiguous.test_kernel_with_strided_memory_view",
}
TENSOR_MAP = "test_cuda_driver.TestAcceleratedArchitecture.test_device_arch_specific"
"""Its kernel sets the rank of a tensor map in a shared array of 4 bytes; a tensor map has 128 (PTX ISA, 9.7.9.28)."""


def run(*arguments: str) -> Any:
    """The outcome of numba's tests in a process of their own."""
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--", sys.executable, str(PROGRAM)]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def test_all_pass_but_those_that_need_something_else() -> None:
    left_out = [TENSOR_MAP, *(NEED_CUPY if importlib.util.find_spec("cupy") is None else ())]
    outcome, _ = run(*(f"-{one}" for one in left_out), *MODULES)
    assert outcome["failed"] == {}
    assert outcome["ran"] >= 260
    assert outcome["skipped"] <= 22


def test_the_kernel_that_overruns_its_array_is_a_fault() -> None:
    outcome, errors = run(TENSOR_MAP)
    assert [*outcome["failed"]] == [TENSOR_MAP]
    assert "a store of 4 bytes outside of the 4 bytes of .shared" in errors
