"""numba-cuda kernels: arrays arrive as seven parameters (two null pointers, sizes, the data, shape and stride)."""

import math

import numba
from numba import cuda


def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def waves(x, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = math.sin(x[i]) * math.exp(-x[i] * x[i]) + math.sqrt(abs(x[i]))


def shared_reverse(x, out):
    s = cuda.shared.array(64, numba.int32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x * 64 + t]
    cuda.syncthreads()
    out[cuda.blockIdx.x * 64 + t] = s[63 - t]


def bin_counts(x, bins):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, x[i] % bins.size, 1)


def warp_total(x, out):
    i = cuda.grid(1)
    v = x[i]
    for d in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, d)
    if cuda.laneid == 0:
        out[i // 32] = v


def collatz_steps(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        n = 0
        while v != 1:
            v = v // 2 if v % 2 == 0 else 3 * v + 1
            n += 1
        out[i] = n
