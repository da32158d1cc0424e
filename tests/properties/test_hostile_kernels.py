"""Kernels that do wrong end in a fault, or in the value that they should, on every engine; the process lives on."""

from __future__ import annotations

import collections
import gc

import numpy as np
import pytest
from hostile_kernels import DEEDS, Crime

from openptx.engines.native import settings
from openptx.errors import ArgumentError, CheckError, Fault
from openptx.runtime import load

PARTS = 6
ALWAYS, MANY = 72, 1400


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
    out = np.zeros(crime.bytes, np.uint8)  # the same for both, and so at the same device address
    ends: list[tuple[object, ...]] = []
    for engine in ("interp", "native"):
        gc.collect()  # what earlier crimes left: wild pointers would meet it, or other modules get its place
        ends.append(punish(crime, engine, out))
    where = f"seed {seed}, {crime.kind}, grid {crime.grid}, block {crime.block}, victim {crime.victim}\n{crime.text}"
    for end in ends:
        assert end[0] in crime.faults, f"{end}\n{where}"
    if crime.alone:
        assert ends[0] == ends[1], where
    return crime.kind


@pytest.mark.parametrize("part", range(PARTS))
def test_crimes_end(part: int) -> None:
    for seed in range(part, ALWAYS, PARTS):
        assert_ends(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(20))
def test_many_crimes_end(part: int) -> None:
    for seed in range(ALWAYS + part, ALWAYS + MANY, 20):
        assert_ends(seed)


def test_every_deed_is_done() -> None:
    done = collections.Counter(Crime(seed).kind for seed in range(ALWAYS + MANY))
    assert set(done) == set(DEEDS)
    assert min(done.values()) >= 10


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_fault_in_the_last_of_many_blocks(engine: str) -> None:
    crime = Crime(next(seed for seed in range(1000) if Crime(seed).kind == "late_block"))
    blocks = 30_000
    out = np.zeros(8 * crime.threads * blocks, np.uint8)
    with pytest.raises(Fault) as found:
        load(crime.text)["k"](blocks, crime.block, (out, 0, crime.threads * blocks - 1), engine=engine)
    assert found.value.name == "misaligned-access"
    assert found.value.block == (blocks - 1, 0, 0)
