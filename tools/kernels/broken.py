"""Cases of broken.cu: the expected fault codes, and the facts that are unique."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case

OUTSIDE = "out-of-bounds"


def broken(
    kernel: str,
    *names: str,
    builds: str | tuple[str, ...] = "sm_80",
    grid: int = 1,
    block: int = 32,
    shared: int = 0,
    **facts,
):
    """A case that must end in a fault with one of these names; `facts` are what it must say of itself."""
    fault = {"names": list(names), **facts}
    return case(
        "broken.cu",
        kernel,
        grid=grid,
        block=block,
        shared=shared,
        builds=builds,
        host=False,
        fault=fault,
        checked="by reading",
    )


def zeros(n: int, dtype: type = np.int32) -> np.ndarray:
    return np.zeros(n, dtype)


@broken(
    "off_by_one",
    OUTSIDE,
    grid=2,
    block=64,
    builds=("sm_80", "sm_80 -lineinfo", "sm_75 -G"),
    space="global",
    block_index=[1, 0, 0],
    thread=[36, 0, 0],
)
def off_by_one(_: Generator):
    return zeros(100), zeros(100), np.int32(100)


@broken("read_before_start", OUTSIDE, space="global", thread=[0, 0, 0], access="load")
def read_before_start(_: Generator):
    return zeros(32, np.float32), zeros(32, np.float32)


@broken("shared_overrun", OUTSIDE, block=64, builds=("sm_80", "sm_90a"), space="shared", access="load")
def shared_overrun(_: Generator):
    return (zeros(64),)


@broken("lost_barrier", "deadlock", block=64, builds=("sm_80", "sm_80 -lineinfo"), says=["barrier"])
def lost_barrier(_: Generator):
    return (zeros(64),)


@broken("departed_warp", "deadlock", block=64, says=["barrier"])
def departed_warp(_: Generator):
    return (zeros(64),)


@broken("endless", "timeout", "instruction-limit", "deadlock", block=1)
def endless(_: Generator):
    return (zeros(2),)


@broken("dead_lock", "timeout", "instruction-limit", "deadlock", block=64)
def dead_lock(_: Generator):
    return (zeros(2),)


@broken("misaligned", "misaligned-access", builds=("sm_80", "sm_80 -G"), access="load")
def misaligned(_: Generator):
    return zeros(33 * 8, np.int8), zeros(32, np.float64)


@broken("misaligned_vector", "misaligned-access", access="load")
def misaligned_vector(_: Generator):
    return zeros(64, np.float32), zeros(128, np.float32)


@broken("null_pointer", OUTSIDE, builds=("sm_80", "sm_80 -lineinfo"), access="load")
def null_pointer(_: Generator):
    return None, zeros(32)


@broken("wild_pointer", OUTSIDE, access="store")
def wild_pointer(_: Generator):
    return (zeros(1),)


@broken("endless_recursion", "stack-overflow", block=1, builds=("sm_80", "sm_80 -G"))
def endless_recursion(_: Generator):
    return (zeros(8),)


@broken(
    "assert_fails",
    "assertion",
    builds=("sm_80", "sm_80 -G"),
    thread=[7, 0, 0],
    says=["in[threadIdx.x] < 50", "broken.cu", "assert_fails"],
)
def assert_fails(_: Generator):
    a = zeros(32)
    a[7] = 50
    return a, zeros(32)


@broken("trapped", "trap", thread=[9, 0, 0])
def trapped(_: Generator):
    a = zeros(32)
    a[9] = -1
    return a, zeros(32)


@broken("atomic_outside", OUTSIDE, space="global", thread=[3, 0, 0], access="atomic")
def atomic_outside(_: Generator):
    a = zeros(32)
    a[3] = 8
    return zeros(8), a


@broken("write_constant", "read-only", OUTSIDE, access="store")
def write_constant(_: Generator):
    return (zeros(32),)


@broken("wild_call", "invalid-call-target", OUTSIDE)
def wild_call(_: Generator):
    return np.array([0x1234], np.uint64), zeros(32)


@broken("double_free", OUTSIDE, "undefined-behavior", block=1)
def double_free(_: Generator):
    return (zeros(1),)


@broken("use_after_free", OUTSIDE, "undefined-behavior", block=1, access="load")
def use_after_free(_: Generator):
    return (zeros(1),)


@broken("too_little_shared", OUTSIDE, shared=64, space="shared", access="store")
def too_little_shared(_: Generator):
    return (zeros(32),)


@case(
    "synchronisation.cu",
    "grid_steps",
    name="too_many_blocks",
    grid=64,
    block=32,
    host=False,
    note="not a fault: a barrier over 64 blocks ends only where all of them advance",
)
def too_many_blocks(r: Generator):
    states = [r.integers(-9, 9, 100, dtype=np.int32)]
    for _ in range(2):
        states.append(np.roll(states[-1], 1) + np.roll(states[-1], -1))
    return Out(states[2], init=states[0]), Out(states[1]), Out(np.array([128], np.uint32)), np.int32(100), np.int32(2)
