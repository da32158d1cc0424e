"""numba-cuda's own tests, which come with it, on libcuda.so.1 of OpenPTX."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tally import NOT_REACHED, Suite

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: make clients")
pytest.importorskip("nvidia.cu13", reason="NVIDIA's compiler is not installed: make clients")
pytest.importorskip("filecheck", reason="filecheck is not installed, which numba-cuda's tests import: make clients")
pytest.importorskip("cffi", reason="cffi is not installed, which numba-cuda's tests import: make clients")

pytestmark = pytest.mark.sweep
PROGRAM = Path(__file__).with_name("numba_tests.py")
ROOT = Path(importlib.import_module("numba.cuda").__path__[0]) / "tests"
PACKAGES = "core", "cudadrv", "cudapy", "cudasim", "doc_examples", "nocuda", "nrt"
FILES = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("test_*.py"))
MODULES = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in FILES]
TOGETHER = 8
"""Modules that one process runs: to start one and import numba takes 2 to 3 s of a processor."""
GROUPS = [MODULES[i : i + TOGETHER] for i in range(0, len(MODULES), TOGETHER)]
CUPY, CUPY_MODULE = "imports CuPy", "cudapy.test_cupy_bfloat16_interop"
NO_RESERVED = "pickles CUipcMemHandle.reserved, which cuda-bindings 13.5 has not"
PROTOTYPE = "declares a function that returns nothing as one that returns 64 bits: nvlink refuses that as well"
TWO_CACHES = "numba 0.68.1 and numba-cuda 0.30.4 take each other's index of the cache for stale"
EXPLAINED = {
    "cudadrv.test_cuda_ndarray.TestCoreContiguous.test_kernel_with_buffer": CUPY,
    "cudadrv.test_cuda_ndarray.TestCoreContiguous.test_kernel_with_strided_memory_view": CUPY,
    "cudapy.test_cuda_array_interface.TestCudaArrayInterface.test_fortran_contiguous": CUPY,
    "cudapy.test_datetime.TestCudaDateTime.test_datetime_cupy_inputs": CUPY,
    "cudapy.test_device_func.TestDeclareDeviceCABI.test_declare_device_cabi_pointer_return": PROTOTYPE,
    "cudapy.test_device_func.TestDeclareDeviceCABI.test_declare_device_cabi_void_return": PROTOTYPE,
    "cudapy.test_caching.CUDAAndCPUCachingTest.test_cpu_and_cuda_reuse": TWO_CACHES,
    "cudapy.test_caching.CUDAAndCPUCachingTest.test_cpu_and_cuda_targets": TWO_CACHES,
    "cudapy.test_ipc.TestIpcMemory.test_ipc_array": NO_RESERVED,
    "cudapy.test_ipc.TestIpcMemory.test_ipc_handle": NO_RESERVED,
    "cudapy.test_ipc.TestIpcMemory.test_ipc_handle_serialization": NO_RESERVED,
    "cudapy.test_ipc.TestIpcStaged.test_ipc_array": NO_RESERVED,
    "cudapy.test_ipc.TestIpcStaged.test_staged": NO_RESERVED,
}
"""Tests that may fail, and why."""
OVERRUNS = {
    "cudadrv.test_cuda_driver.TestAcceleratedArchitecture.test_device_arch_specific":
        "a store of 4 bytes outside of the 4 bytes of .shared",
    "cudapy.test_dispatcher.TestDispatcher.test_dispatcher_cpointer_arguments":
        "a load of 4 bytes outside of every allocation",
    "cudapy.test_localmem.TestCudaLocalMem.test_struct_model_type_arr":
        "a store of 4 bytes outside of every allocation",
}  # fmt: skip
"""Tests whose kernels access memory beyond their arrays: 16 elements of 10, 10 of 1, and a tensor map in 4 bytes."""


SUITE = "numba-cuda's tests"


def run(*arguments: str, limit: float = 900) -> Any:
    """The outcome of numba's tests in a process of their own."""
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--", sys.executable, str(PROGRAM)]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=limit)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def count(suite: Suite, outcome: Any) -> dict[str, str]:
    """Counts the tests of a module. Returns those that failed without a reason on record."""
    failed: dict[str, str] = {}
    for test, words in outcome["failed"].items():
        name = test.partition(" ")[0]
        why = EXPLAINED.get(name) or OVERRUNS.get(name)
        suite.count(name, "failed", words.strip().splitlines()[-1], why)
        failed |= {} if why else {test: words}
    suite.passed += outcome["ran"] - len({test.partition(" ")[0] for test in outcome["failed"]}) - outcome["skipped"]
    suite.skipped["skipped by numba-cuda"] += outcome["skipped"]
    return failed


def outcomes(modules: list[str], limit: Callable[[float], float]) -> list[Any]:
    """Of all modules at once, or of each where one of them spoils the process for others or ends it."""
    left_out = [f"-{one}" for one in OVERRUNS]
    try:
        together, _ = run(*left_out, *modules, limit=limit(900 * len(modules)))
    except AssertionError:
        if len(modules) == 1:
            raise
    else:
        if len(modules) == 1 or not count(Suite(), together):
            return [together]
    return [one for module in modules for one in outcomes([module], limit)]


@pytest.mark.parametrize("modules", GROUPS, ids=[f"{one[0]} to {one[-1]}" for one in GROUPS])
def test_all_pass_but_those_that_need_something_else(
    modules: list[str], tally: Callable[[str], Suite], bound: Callable[[float], float]
) -> None:
    suite = tally(SUITE)
    if importlib.util.find_spec("cupy") is None and CUPY_MODULE in modules:
        suite.skipped[f"{CUPY_MODULE} {CUPY}"] += 1
        modules = [one for one in modules if one != CUPY_MODULE]
    try:
        found = outcomes(modules, bound)
    except subprocess.TimeoutExpired as reached:
        pytest.skip(f"{NOT_REACHED} in {reached.timeout:.0f} s")
    assert [count(suite, one) for one in found] == [{}] * len(found)
    assert all(one["ran"] for one in found)


@pytest.mark.parametrize("test", OVERRUNS)
def test_kernels_that_overrun_their_arrays_are_faults(test: str, tally: Callable[[str], Suite]) -> None:
    outcome, errors = run(test)
    count(tally(SUITE), outcome)
    assert [*outcome["failed"]] == [test]
    assert OVERRUNS[test] in errors
