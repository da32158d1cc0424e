"""Cases of synchronisation.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


@case("synchronisation.cu", "lock_blocks", grid=5, block=40, builds=("sm_80", "sm_75", "sm_90a", "sm_80 -G"))
def lock_blocks(_: Generator):
    return Out(np.zeros(1, np.int32)), Out(np.array([200], np.int32))


@case("synchronisation.cu", "lock_lanes", block=48, builds=("sm_80", "sm_75", "sm_80 -G"))
def lock_lanes(_: Generator):
    return Out(np.zeros(1, np.int32)), Out(np.array([48] + [1] * 48, np.int32))


@case("synchronisation.cu", "ticket_lock", block=128)
def ticket_lock(_: Generator):
    value = 1
    for _ in range(16):
        value = value * 3 + 1
    return (Out(np.array([value], np.int32)),)


@case("synchronisation.cu", "ring", block=64, builds=("sm_80", "sm_120"))
def ring(r: Generator):
    a = r.integers(-99, 99, (20, 32), dtype=np.int32)
    return a, Out((a[:, ::-1] * np.arange(1, 21)[:, None]).sum(axis=0).astype(np.int32)), np.int32(20)


@case("synchronisation.cu", "block_pairs", grid=8, block=33)
def block_pairs(r: Generator):
    a = r.integers(-99, 99, (4, 33), dtype=np.int32)
    mail = a * 2 + 1
    return a, Out(mail), Out(np.ones(4, np.int32)), Out(mail[:, ::-1] - 1)


@case(
    "synchronisation.cu",
    "grid_steps",
    grid=4,
    block=(8, 4),
    builds=("sm_80", "sm_90a"),
    note="all blocks must be resident",
)
def grid_steps(r: Generator):
    states = [r.integers(-99, 99, 200, dtype=np.int32)]
    for _ in range(5):
        states.append(np.roll(states[-1], 1) + np.roll(states[-1], -1))
    a, b = Out(states[4], init=states[0]), Out(states[5])
    return a, b, Out(np.array([20], np.uint32)), np.int32(200), np.int32(5)


@case("synchronisation.cu", "voting_barriers", block=100)
def voting_barriers(r: Generator):
    a = r.integers(0, 100, 100, dtype=np.int32)
    a[57] = 7
    return a, Out(np.full(100, (a % 2).sum() * 4 + 3, np.int32))


@case("synchronisation.cu", "named_barriers", block=128)
def named_barriers(_: Generator):
    return (Out(np.array([sum(i * 100 + 63 - lane for i in range(5)) for lane in range(64)], np.int32)),)


@case("synchronisation.cu", "early_leavers", block=128)
def early_leavers(_: Generator):
    """Rounds 3, 2, 1 are entered by 96, 64 and 32 threads that stay."""
    return (Out(np.array([96 + 64 + 32], np.int32)),)


@case("synchronisation.cu", "lane_handshake", block=2)
def lane_handshake(_: Generator):
    return (Out(np.array([1, 7, 70], np.int32)),)
