"""Cases of control.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case
from kernels.twos_complement import signed


@case("control.cu", "dense_switch", block=96, builds=("sm_80", "sm_75", "sm_80 -G", "sm_90a -lineinfo"))
def dense_switch(r: Generator):
    op, a = r.integers(-2, 15, 96, dtype=np.int32), r.integers(-5000, 5000, 96, dtype=np.int32)
    third, rest = (lambda v: int(v / 3)), (lambda v: v - 11 * int(v / 11))
    paths = [
        lambda v: v + 1,
        lambda v: v * v,
        lambda v: v ^ 0x55,
        lambda v: v << 3,
        third,
        third,
        lambda v: (v & 2**32 - 1).bit_count(),
        rest,
        lambda v: v & 0xF0,
        lambda v: v | 0x0F,
        lambda v: max(v, 10),
        lambda v: v - 1000,
        lambda _: 0,
    ]
    out = [paths[o](v) if 0 <= o < 13 else 12345 for o, v in zip(op.tolist(), a.tolist(), strict=True)]
    return op, a, Out(np.array(out, np.int32))


# factorial, n (n + 1), a power of two by doubling, a bad opcode, a jump to itself
PROGRAMS = [
    [1, 1, 10, 7, 1, 0, 10, 4, 6, 1, 1, 3, 6, 8, -13],
    [5, 1, 1, 2, 4, 0],
    [1, 1, 10, 7, 1, 0, 5, 2, 6, 1, 1, 3, 6, 8, -13],
    [1, 5, 2, 99],
    [8, -2],
]


def _stack_machine(code: list[int], start: int) -> int:
    stack, pc = [start], 0
    for _ in range(1000):
        op, pc = code[pc], pc + 1
        if op == 0:
            return stack[-1]
        if op == 1:
            stack.append(code[pc])
            pc += 1
        elif op in (2, 3, 4):
            a, b = stack.pop(), stack.pop()
            stack.append(signed((b + a, b - a, b * a)[op - 2]))
        elif op == 5:
            stack.append(stack[-1])
        elif op == 6:
            stack[-1], stack[-2] = stack[-2], stack[-1]
        elif op == 7:
            pc += 1
            if signed(stack.pop()) > 0:
                pc += code[pc - 1]
        elif op == 8:
            pc += code[pc] + 1
        elif op == 9:
            stack.pop()
        elif op == 10:
            stack.append(stack[-2])
        else:
            return -1
    return -2


@case("control.cu", "stack_machine", block=48, builds=("sm_80", "sm_75", "sm_80 -G"))
def stack_machine(_: Generator):
    length = max(map(len, PROGRAMS))
    code = np.array([p + [0] * (length - len(p)) for p in PROGRAMS], np.int8)
    out = [_stack_machine(code[t % 5].tolist(), t) for t in range(48)]
    return code, Out(np.array(out, np.int32)), np.int32(length)


def _ragged(v: int) -> int:
    total = 0
    for i in range(v):
        if i % 5 == 3:
            continue
        met = False
        for j in range(i, v + 1, 2):
            if (i * j + v) % 17 == 0:
                met = True
                break
            total += j
        if met:
            continue
        total ^= i
        while True:
            total += 3
            if total > 100000:
                return -total
            if total % 7 == 0:
                break
    return total


@case("control.cu", "ragged_loops", block=70, builds=("sm_80", "sm_90a", "sm_80 -G"))
def ragged_loops(r: Generator):
    a = r.integers(-2, 90, 70, dtype=np.int32)
    a[:3] = [0, 150, 1]
    return a, Out(np.array([_ragged(v) for v in a.tolist()], np.int32))


@case("control.cu", "short_circuits", block=80)
def short_circuits(r: Generator):
    a, b = (r.integers(-99, 99, 80, dtype=np.int32) for _ in "ab")
    b[:10] = a[:10]
    calls, out = [0] * 7, []

    def touched(bit: int, value: bool) -> bool:
        calls[bit] += 1
        return value

    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        v = 0
        if touched(0, x > 0) and touched(1, y > 0):
            v |= 1
        if touched(2, x < -5) or touched(3, y % 2 == 0):
            v |= 2
        if not (touched(4, x == y) or (touched(5, x > y) and touched(6, x % 3 != 0))):
            v |= 4
        out.append(v + ((100 if x > 50 else 200) if x > y else (300 if y > 50 else 400)))
    return a, b, Out(np.array(out, np.int32)), Out(np.array(calls, np.int32))


@case("control.cu", "automaton_run", block=64)
def automaton_run(r: Generator):
    a = r.integers(0, 2**32, 64, dtype=np.uint32)
    return a, Out((a % 7).astype(np.uint8))


@case("control.cu", "sparse_switch", block=12, builds=("sm_80", "sm_75 -lineinfo"))
def sparse_switch(_: Generator):
    values = [-1, 0, 1 << 40, 77, 78, 79, -(2**63), 80, 1, -2, 1 << 8, 77 + (1 << 32)]
    text = b"+- abfgA-z%e"
    first = {-1: 1, 0: 2, 1 << 40: 3, 77: 4, 78: 4, 79: 4, -(2**63): 5}
    second = {43: 10, 45: 20, 32: 30, **dict.fromkeys(b"abcdef", 40)}
    out = [first.get(v, 0) + second.get(c, 0) for v, c in zip(values, text, strict=True)]
    return np.array(values), np.frombuffer(text, np.int8), Out(np.array(out, np.int32))
