"""Cases of histograms.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case

TEXT = (
    b"Forty-two programmers argued at noon, quietly, about whether a kernel may ever wait for itself; JAZZ helped. " * 4
)


@case("histograms.cu", "byte_histogram", grid=3, block=100, builds=("sm_80", "sm_75", "sm_90a", "sm_80 -G"))
def byte_histogram(r: Generator):
    a = np.minimum(r.geometric(0.05, 1500), 255).astype(np.uint8)
    return a, Out(np.bincount(a, minlength=256).astype(np.uint32)), np.int32(1500)


@case("histograms.cu", "matched_histogram", grid=3, block=64)
def matched_histogram(r: Generator):
    a = r.integers(0, 7, 150, dtype=np.int32)
    return a, Out(np.bincount(a, minlength=7).astype(np.int32)), np.int32(150)


@case("histograms.cu", "weighted_histogram", grid=2, block=100)
def weighted_histogram(r: Generator):
    x, weight = r.integers(-40, 40, 200) * 0.25, r.integers(1, 99, 200) * 0.5
    bins = np.zeros(8)
    for v, w in zip(x, weight, strict=True):
        b = int((v + 6.0) // 1.5)
        if 0 <= b < 8:
            bins[b] += w
    return x, weight, Out(bins), np.int32(200), np.float64(-6), np.float64(1.5), np.int32(8)


@case("histograms.cu", "letter_counts", block=24)
def letter_counts(_: Generator):
    counts = [TEXT.lower().count(bytes([c])) for c in b"abcdefghijklmnopqrstuvwxyz"]
    return np.frombuffer(TEXT, np.int8), Out(np.array(counts, np.int32)), np.int32(19), np.int32(len(TEXT))
