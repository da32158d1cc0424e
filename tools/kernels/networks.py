"""Cases of networks.cu."""

import math

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


@case("networks.cu", "softmax", grid=5, block=64, shared=256, builds=("sm_80", "sm_75", "sm_90a --use_fast_math"))
def softmax(r: Generator):
    a = r.normal(size=(5, 77)).astype(np.float32) * 4
    e = np.exp(a.astype(float) - a.max(axis=1, keepdims=True))
    return a, Out((e / e.sum(axis=1, keepdims=True)).astype(np.float32), rtol=2e-5), np.int32(77)


@case("networks.cu", "layer_norm", grid=2, block=96, builds=("sm_80", "sm_120"))
def layer_norm(r: Generator):
    a, gain, bias = (r.normal(size=s).astype(np.float32) for s in ((6, 50), 50, 50))
    b = a.astype(float)
    scaled = (b - b.mean(axis=1, keepdims=True)) / np.sqrt(b.var(axis=1, keepdims=True) + 1e-5)
    out = (scaled * gain + bias).astype(np.float32)
    return a, gain, bias, Out(out, rtol=2e-5, atol=2e-6), np.int32(50), np.float32(1e-5)


@case("networks.cu", "attention", grid=3, block=16, builds=("sm_80", "sm_90a"))
def attention(r: Generator):
    q, k, v = (r.normal(size=(37, 8)).astype(np.float32) for _ in "qkv")
    e = np.exp(q.astype(float) @ k.T.astype(float) * 0.35)
    out = (e / e.sum(axis=1, keepdims=True)) @ v
    return q, k, v, Out(out.astype(np.float32), rtol=5e-5, atol=5e-6), np.int32(37), np.float32(0.35)


@case("networks.cu", "activations", grid=(2, 5), block=48, builds=("sm_80", "sm_75 -lineinfo"))
def activations(r: Generator):
    a = np.concatenate([r.normal(size=80) * 3, [0.0, 20.0, -20.0]]).astype(np.float32)
    x = a.astype(float)
    rows = [
        np.maximum(x, 0),
        0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))),
        0.5 * x * (1 + np.array([math.erf(v * math.sqrt(0.5)) for v in x])),
        x / (1 + np.exp(-x)),
        np.logaddexp(0, x),
    ]
    return a, Out(np.array(rows, np.float32), rtol=3e-6, atol=3e-6), np.int32(83)


@case("networks.cu", "convolve", grid=(2, 2, 3), block=(10, 7))
def convolve(r: Generator):
    image, filters = (r.integers(-9, 10, s).astype(np.float32) for s in ((13, 17), (3, 5, 5)))
    p = np.pad(image, 2)
    out = sum(filters[:, j, i, None, None] * p[j : j + 13, i : i + 17] for j in range(5) for i in range(5))
    return image, filters, Out(out.astype(np.float32)), np.int32(17), np.int32(13), np.int32(2)
