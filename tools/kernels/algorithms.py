"""Cases of algorithms.cu."""

import base64 as codec

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


@case("algorithms.cu", "breadth_first", block=40, builds=("sm_80", "sm_75"))
def breadth_first(r: Generator):
    n = 90
    edges = [sorted(set(r.integers(0, n, r.integers(0, 4)).tolist())) for _ in range(n)]
    start = np.cumsum([0, *map(len, edges)]).astype(np.int32)
    distance, queue = [0] + [-1] * (n - 1), [0]
    for v in queue:
        for w in edges[v]:
            if distance[w] < 0:
                distance[w] = distance[v] + 1
                queue.append(w)
    init = np.array([0] + [-1] * (n - 1), np.int32)
    flat = np.array([w for each in edges for w in each], np.int32)
    return start, flat, Out(np.array(distance, np.int32), init=init), np.int32(n)


@case("algorithms.cu", "edit_distance", block=50, builds=("sm_80", "sm_90a"))
def edit_distance(_: Generator):
    a, b = b"a register holds bits, types live in instructions", b"registers hold bits and instructions have types"
    d = list(range(len(b) + 1))
    for i, p in enumerate(a, 1):
        last, d[0] = d[0], i
        for j, q in enumerate(b, 1):
            last, d[j] = d[j], min(last + (p != q), d[j] + 1, d[j - 1] + 1)
    texts = (np.frombuffer(t, np.int8) for t in (a, b))
    return *texts, np.int32(len(a)), np.int32(len(b)), Out(np.array([d[-1]], np.int32))


@case("algorithms.cu", "base64", grid=2, block=33)
def base64(r: Generator):
    a = r.integers(0, 256, 150, dtype=np.uint8)
    return a, Out(np.frombuffer(codec.b64encode(a.tobytes()), np.int8)), np.int32(50)


@case("algorithms.cu", "queens", block=7, builds=("sm_80", "sm_80 -G"))
def queens(_: Generator):
    """The seven-queens solutions by the first queen's column; 40 in all."""
    counts = [0] * 7

    def place(rows: list[int]) -> None:
        if len(rows) == 7:
            counts[rows[0]] += 1
            return
        for c in range(7):
            if all(c != q and abs(c - q) != len(rows) - i for i, q in enumerate(rows)):
                place([*rows, c])

    place([])
    assert sum(counts) == 40
    return Out(np.array(counts, np.int32)), np.int32(7)


@case("algorithms.cu", "knapsack", block=101, shared=404)
def knapsack(r: Generator):
    weight, value = r.integers(3, 30, 12, dtype=np.int32), r.integers(1, 99, 12, dtype=np.int32)
    best = np.zeros(101, np.int32)
    for w, v in zip(weight, value, strict=True):
        best[w:] = np.maximum(best[w:], best[:-w] + v)
    return weight, value, Out(best), np.int32(12)


@case("algorithms.cu", "k_means", block=64)
def k_means(r: Generator):
    points = np.concatenate([r.integers(c - 40, c + 40, 50) for c in (-500, 0, 300, 900)]).astype(np.int32)
    start = np.array([-100, 10, 20, 1000], np.int32)
    centres = start.astype(int)
    for _ in range(6):
        nearest = abs(points[:, None] - centres).argmin(axis=1)
        centres = np.array(
            [
                int(points[nearest == c].sum() / max((nearest == c).sum(), 1)) if (nearest == c).any() else centres[c]
                for c in range(4)
            ]
        )
    return points, Out(centres.astype(np.int32), init=start), np.int32(200), np.int32(4), np.int32(6)
