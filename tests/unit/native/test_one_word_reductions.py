"""Reductions of a warp's lanes at one word: compiled code combines the lanes first, those that execute alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np
import pytest

import openptx

OPS = tuple(
    f"{op}.{kind}{width}"
    for width in (32, 64)
    for op, kinds in (("add", "u"), ("min", "us"), ("max", "us"), ("and", "b"), ("or", "b"), ("xor", "b"))
    for kind in kinds
)
COMBINE: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "min": lambda a, b: min(a, b),
    "max": lambda a, b: max(a, b),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
EDGES = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 0x80000000_00000000 | 5)


def kernel() -> str:
    """Words begin as `start` says; lanes whose bit of `mask` is set reduce their number at each of them."""
    steps: list[str] = []
    for i, op in enumerate(OPS):
        width = op[-2:]
        steps.append(f"st.shared.b64 [s+{8 * i}], %start; st.global.b64 [%out+{8 * i}], %start; bar.sync 0;")
        for at, space in ((f"s+{8 * i}", "shared"), (f"%out+{8 * i}", "global")):
            steps.append(f"@%p red.{space}.{op} [{at}], %x{width};")
        steps.append(f"bar.sync 0; ld.shared.b64 %y, [s+{8 * i}]; st.global.b64 [%out+{8 * (len(OPS) + i)}], %y;")
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 start, .param .u32 mask) {{
    .shared .align 8 .b64 s[{len(OPS)}];
    .reg .b64 %in, %out, %start, %x64, %y; .reg .b32 %t, %x32, %m; .reg .pred %p;
    ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %start, [start]; ld.param.u32 %m, [mask];
    mov.u32 %t, %tid.x; mad.wide.u32 %in, %t, 8, %in; ld.global.b64 %x64, [%in]; cvt.u32.u64 %x32, %x64;
    shr.u32 %m, %m, %t; and.b32 %m, %m, 1; setp.eq.u32 %p, %m, 1;
    {" ".join(steps)}
    ret;
}}"""


def expected(op: str, start: int, values: list[int]) -> int:
    name, kind, width = op[:-4], op[-3], int(op[-2:])
    low = (1 << width) - 1

    def number(a: int) -> int:
        a &= low
        return a - (1 << width) if kind == "s" and a >> width - 1 else a

    return start & ~low & (1 << 64) - 1 | reduce(COMBINE[name], map(number, values), number(start)) & low


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("threads", [32, 21])
def test_lanes_that_do_not_execute_do_not_count(threads: int, engine: str) -> None:
    random, run = np.random.default_rng(threads), openptx.load(kernel())["k"]
    edges, most = np.array(EDGES, np.uint64), (1 << 64) - 1
    high = random.integers(1 << 63, most, 32, np.uint64)
    alike = (0, most, 0x7FFFFFFF_7FFFFFFF, (1 << 63) - 1, 0x80000000_80000000, 1 << 63)  # each is an operation's limit
    cases = [
        (random.choice(edges, 32), int(random.choice(edges))),
        (high, 1 << 63),
        *((np.full(32, v, np.uint64), v) for v in alike),
    ]
    for mask in (0xFFFFFFFF, 0, 1, 0x10000, 0x80000001, 0x00F0F00F):
        for numbers, start in cases:
            out = np.zeros((2, len(OPS)), np.uint64)
            run(1, threads, (numbers, out, start, mask), engine=engine)
            chosen = [int(numbers[i]) for i in range(threads) if mask >> i & 1]
            for i, op in enumerate(OPS):
                assert [hex(v) for v in out[:, i]] == [hex(expected(op, start, chosen))] * 2, (op, hex(mask))
