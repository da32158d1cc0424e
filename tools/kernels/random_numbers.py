"""Cases of random.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case

M32, M64 = 2**32 - 1, 2**64 - 1


def _philox(c: list[int], k: list[int]) -> list[int]:
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & M32, p >> 32 ^ c[3] ^ k[1], p & M32]
        k = [(k[0] + 0x9E3779B9) & M32, (k[1] + 0xBB67AE85) & M32]
    return c


@case("random.cu", "philox", grid=2, block=30, builds=("sm_80", "sm_75 -G", "sm_90a"))
def philox(_: Generator):
    assert _philox([0] * 4, [0] * 2)[0] == 0x6627E8D5  # Random123's known answer
    out = [_philox([i, ~i & M32, i * 7, 0x12345678], [11, 22]) for i in range(60)]
    return Out(np.array(out, np.uint32)), np.uint32(11), np.uint32(22)


@case("random.cu", "xorshift", block=20)
def xorshift(r: Generator):
    seeds = r.integers(1, 2**64, 40, dtype=np.uint64)
    out = np.zeros((20, 5))
    for t in range(20):
        a, b = int(seeds[2 * t]), int(seeds[2 * t + 1])
        for i in range(5):
            x = (a ^ a << 23) & M64
            a, b = b, x ^ b ^ x >> 17 ^ b >> 26
            out[t, i] = (((a + b) & M64) >> 11) / 2**53
    return seeds, Out(out), np.int32(5)


@case("random.cu", "pcg_below", block=24)
def pcg_below(_: Generator):
    bound, out = 3_000_000_000, []
    for t in range(24):
        state, step = t * 0x9E3779B97F4A7C15 & M64, 2 * t + 1
        for _ in range(4):
            while True:
                old, state = state, (state * 6364136223846793005 + step) & M64
                x, n = ((old >> 18 ^ old) >> 27) & M32, old >> 59
                v = (x >> n | x << (32 - n)) & M32
                if v >= 2**32 % bound:
                    break
            out.append(v % bound)
    return Out(np.array(out, np.uint32)), np.uint32(bound), np.int32(4)


@case("random.cu", "count_in_circle", grid=2, block=64, builds=("sm_80", "sm_120"))
def count_in_circle(_: Generator):
    s = 12345 + 2654435761 * np.arange(128, dtype=np.uint64) & M32
    hits = 0
    for _ in range(20):
        s = s * 1664525 + 1013904223 & M32
        x = s >> 16
        s = s * 1664525 + 1013904223 & M32
        y = s >> 16
        hits += int((x * x + y * y < 2**32).sum())
    return Out(np.array([hits], np.uint32)), np.int32(20)


@case("random.cu", "shuffle", block=9)
def shuffle(_: Generator):
    decks = []
    for t in range(9):
        s, deck = 20240229 + t * 77773, list(range(52))
        for i in range(51, 0, -1):
            s ^= s << 13 & M32
            s ^= s >> 17
            s ^= s << 5 & M32
            j = s % (i + 1)
            deck[i], deck[j] = deck[j], deck[i]
        decks.append(deck)
    return Out(np.array(decks, np.uint8)), np.uint32(20240229)
