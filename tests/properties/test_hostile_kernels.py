"""Kernels with errors end in a fault, or with the right value, on every engine; the process survives."""

from __future__ import annotations

import gc
from functools import cache

import numpy as np
import pytest
from hostile_kernels import VIOLATIONS, HostileKernel

from openptx.device.memory import device
from openptx.engines.native import settings
from openptx.errors import ArgumentError, CheckError, Fault
from openptx.runtime import load

PARTS = 6
SEEDS = 1472


def outcome(hostile: HostileKernel, engine: str, out: np.ndarray) -> tuple[object, ...]:
    """How it ends: a fault's name, then who did what where; or the bytes that are left."""
    out[:] = 0
    try:
        with settings.cache_at(None):
            kernel = load(hostile.text)["k"]
            arguments = (out, hostile.wild, hostile.victim)
            limit = {"timeout": hostile.timeout, "shared_mem": hostile.shared, "workers": 1}
            kernel(hostile.grid, hostile.block, arguments, engine=engine, **limit)
    except (CheckError, ArgumentError):
        return ("refused",)
    except Fault as fault:
        return (fault.name, str(fault)) if hostile.kind != "heap" else (fault.name, fault.thread, fault.block)
    return ("", out.tobytes())


def assert_ends(seed: int) -> str:
    hostile = HostileKernel(seed)
    heap = device(64).device_heap()
    given = heap.state()
    out = np.zeros(hostile.bytes, np.uint8)  # the same for both, and so at the same device address
    ends: list[tuple[object, ...]] = []
    for engine in ("interp", "native"):
        gc.collect()  # what earlier hostile kernels left: wild pointers would meet it, or other modules get its place
        ends.append(outcome(hostile, engine, out))
        heap.restore(given)  # or thousands of hostile kernels use it up
    for end in ends:
        assert end[0] in hostile.faults, f"{end}\n{hostile}"
    if hostile.alone:
        assert ends[0] == ends[1], str(hostile)
    return hostile.kind


@cache
def one_of_each() -> list[int]:
    """The first seed of each kind of violation."""
    first: dict[str, int] = {}
    for seed in range(SEEDS):
        first.setdefault(HostileKernel(seed).kind, seed)
        if len(first) == len(VIOLATIONS):
            break
    return list(first.values())


@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_kernels_end(part: int) -> None:
    for seed in one_of_each()[part::PARTS]:
        assert_ends(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(20))
def test_many_hostile_kernels_end(part: int) -> None:
    for seed in range(part, SEEDS, 20):
        assert_ends(seed)


def test_every_violation_is_committed() -> None:
    assert {HostileKernel(seed).kind for seed in one_of_each()} == set(VIOLATIONS)
