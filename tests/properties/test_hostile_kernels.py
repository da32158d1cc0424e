"""Kernels that do wrong end in a fault, or in the value that they should, on every engine; the process lives on."""

from __future__ import annotations

import gc
from functools import cache

import numpy as np
import pytest
from hostile_kernels import DEEDS, Crime

from openptx.device.heap import heap_of
from openptx.device.memory import device
from openptx.engines.native import settings
from openptx.errors import ArgumentError, CheckError, Fault
from openptx.runtime import load

PARTS = 6
SEEDS = 1472


def punish(crime: Crime, engine: str, out: np.ndarray) -> tuple[object, ...]:
    """How it ends: a fault's name, then who did what where; or the bytes that are left."""
    out[:] = 0
    try:
        with settings.cache_at(None):
            kernel = load(crime.text)["k"]
            arguments = (out, crime.wild, crime.victim)
            limit = {"timeout": crime.timeout, "shared_mem": crime.shared, "workers": 1}
            kernel(crime.grid, crime.block, arguments, engine=engine, **limit)
    except (CheckError, ArgumentError):
        return ("refused",)
    except Fault as fault:
        return (fault.name, str(fault)) if crime.kind != "heap" else (fault.name, fault.thread, fault.block)
    return ("", out.tobytes())


def assert_ends(seed: int) -> str:
    crime = Crime(seed)
    heap = heap_of(device(64))
    given = heap.state()
    out = np.zeros(crime.bytes, np.uint8)  # the same for both, and so at the same device address
    ends: list[tuple[object, ...]] = []
    for engine in ("interp", "native"):
        gc.collect()  # what earlier crimes left: wild pointers would meet it, or other modules get its place
        ends.append(punish(crime, engine, out))
        heap.restore(given)  # or thousands of crimes use it up
    where = f"seed {seed}, {crime.kind}, grid {crime.grid}, block {crime.block}, victim {crime.victim}\n{crime.text}"
    for end in ends:
        assert end[0] in crime.faults, f"{end}\n{where}"
    if crime.alone:
        assert ends[0] == ends[1], where
    return crime.kind


@cache
def one_of_each() -> list[int]:
    """The first seed of each kind of crime."""
    first: dict[str, int] = {}
    for seed in range(SEEDS):
        first.setdefault(Crime(seed).kind, seed)
        if len(first) == len(DEEDS):
            break
    return list(first.values())


@pytest.mark.parametrize("part", range(PARTS))
def test_crimes_end(part: int) -> None:
    for seed in one_of_each()[part::PARTS]:
        assert_ends(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(20))
def test_many_crimes_end(part: int) -> None:
    for seed in range(part, SEEDS, 20):
        assert_ends(seed)


def test_every_deed_is_done() -> None:
    assert {Crime(seed).kind for seed in one_of_each()} == set(DEEDS)
