"""CUDA programs of several translation units, compiled by NVRTC if it is installed, give C's results when linked."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import openptx

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from compilers.nvidia import TOOLKIT, nvrtc, ptxas

pytestmark = pytest.mark.skipif(not any(TOOLKIT.glob("lib/libnvrtc.so*")), reason="NVRTC is not installed")

MAIN = r"""
struct Pair { float a; int b; };
extern __device__ int calls;
extern __constant__ float weights[4];
extern __device__ Pair combine(Pair x, Pair y);
extern __device__ float (*choose(int which))(float);
static __device__ int twice(int x) { return 2 * x; }
template <class T> __device__ __noinline__ T common(T x) { return x + 1; }
extern "C" __global__ void k(float *out, int n) {
    extern __shared__ float buffer[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buffer[threadIdx.x] = i;
    __syncthreads();
    if (i >= n) return;
    Pair p = combine({buffer[threadIdx.x], i}, {weights[i % 4], twice(i)});
    out[i] = p.a + p.b + choose(i % 2)(1.5f) + common(1);
    atomicAdd(&calls, 1);
    if (i == 0) printf("first %d\n", p.b);
}
"""
LIBRARY = r"""
struct Pair { float a; int b; };
__device__ int calls;
__constant__ float weights[4] = {1, 2, 4, 8};
static __device__ __noinline__ int twice(int x) { return 3 * x; }
template <class T> __device__ __noinline__ T common(T x) { return x + 1; }
__device__ Pair combine(Pair x, Pair y) { return {x.a * y.a, twice(x.b) + y.b + common(0)}; }
static __device__ float up(float x) { return x + 1; }
static __device__ float down(float x) { return x - 1; }
__device__ float (*choose(int which))(float) { return which ? up : down; }
extern "C" __global__ void reset() { calls = -1; }
"""


@pytest.mark.parametrize("options", [(), ("-G",), ("-lineinfo",)], ids=["optimised", "debug", "lines"])
def test_two_units(options: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rdc = ("--relocatable-device-code=true", "-default-device", *options)
    units = [nvrtc(text, "sm_90", rdc, name=name) for text, name in ((MAIN, "main.cu"), (LIBRARY, "library.cu"))]
    for order in (units, units[::-1]):
        text = openptx.link(order)
        assert openptx.check(text) == []
        status, messages = ptxas(text, arch="sm_90")
        assert status == 0, messages
        for engine in ("interp", "native"):
            module = openptx.load(order)
            out = np.zeros(100, np.float32)
            module["k"](4, 32, (out, 100), shared_mem=128, engine=engine)
            i = np.arange(100)
            weights = np.array([1, 2, 4, 8])[i % 4]
            assert (out == i * weights + (3 * i + 2 * i + 1) + np.where(i % 2, 2.5, 0.5) + 2).all()
            assert module.get_global("calls").view(np.int32)[0] == 100
            assert capfd.readouterr().out == "first 1\n"


def test_a_unit_alone_names_what_it_lacks() -> None:
    unit = nvrtc(MAIN, "sm_90", ("--relocatable-device-code=true", "-default-device"), name="main.cu")
    with pytest.raises(openptx.CheckError) as caught:
        openptx.link([unit])
    names = " ".join(found.message for found in caught.value.diagnostics)
    assert all(name in names for name in ("calls", "weights", "combine", "choose"))
