"""The compilation options of a kernel, and settings with a limited scope: where code is stored and compiled, and, for
measurements, code without checks."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from openptx.cache_folder import cache_folder as users_folder

Triple = tuple[int, int, int]
T = TypeVar("T")

KEYS = "openptx.engines.native.cache.key"
"""The module that names code: it needs LLVM's library."""


class Options(NamedTuple):
    """The compilation options of a kernel; a tuple, since `auto` imports this before launches that are soon over, and
    a data class takes a millisecond to make."""

    block: Triple
    locked: bool
    """Other workers can see atomics."""
    lane_facts: bool = True
    """Off for the generic version, which keeps all registers as vectors."""
    checks: bool = True
    speculates: bool = True
    """Whether branches may be assumed uniform."""
    deoptimize_after: int = 0
    """The iteration limit of any loop; 0: only loops that may wait are counted."""
    watched: tuple[str, ...] = ()
    """What the code is watched for: "mem", "race", "sync" (watch/), or "count" (count/)."""

    rounds: bool = False
    """Whether warps run a loop over the grid's stride in rounds (analysis/warp_rounds.py)."""
    baseline: bool = False
    """Compiled without optimisation, to be ready sooner: a third of the time, for code that takes about twice as
    long."""

    @property
    def counts(self) -> bool:
        """Whether the code counts what it executes."""
        return "count" in self.watched


_cache: list[Path | None] = []
_checks: list[bool] = [True]
_lane_facts: list[bool] = [True]
_turns: list[int] = [0]


@contextmanager
def _during(values: list[T], value: T) -> Generator[None]:
    values.append(value)
    try:
        yield
    finally:
        values.pop()


def cache_folder() -> Path | None:
    """Where objects are stored; None for nowhere."""
    if _cache:
        return _cache[-1]
    found = users_folder()
    return Path(found) if found is not None else None


def cache_at(folder: str | os.PathLike[str] | None) -> AbstractContextManager[None]:
    """In this scope, stores objects in `folder`; nowhere if that is None."""
    return _during(_cache, Path(folder) if folder is not None else None)


def compiles_in_subprocess() -> bool:
    """Whether kernels are compiled in a separate process: if OPENPTX_COMPILE_APART is neither empty nor 0."""
    return os.environ.get("OPENPTX_COMPILE_APART", "0") not in ("", "0")


def has_tiers() -> bool:
    """Whether `auto` launches start on the reference engine while code is compiled: unless OPENPTX_TIERS is 0."""
    return os.environ.get("OPENPTX_TIERS", "1") != "0"


def checks() -> bool:
    """Whether code checks its accesses."""
    return _checks[-1]


def unchecked() -> AbstractContextManager[None]:
    """Code compiled in this scope does not check accesses by offsets. For measuring the cost of checks: it is not
    safe."""
    return _during(_checks, False)


def has_lane_facts() -> bool:
    """Whether code may rely on facts about lanes, such as offsets from a common base."""
    return _lane_facts[-1]


def lane_facts(wanted: bool) -> AbstractContextManager[None]:
    """Code compiled in this scope assumes nothing about lanes unless `wanted`: an oracle for the analyses."""
    return _during(_lane_facts, wanted)


def deoptimize_turns() -> int:
    """The number of iterations of any loop after which a warp counts as waiting; 0: only loops that may wait, after
    very many."""
    return _turns[-1]


def deoptimize_after(turns: int) -> AbstractContextManager[None]:
    """Code compiled in this scope deoptimises after this many iterations: an oracle for the frame states."""
    return _during(_turns, turns)


def variant() -> tuple[object, ...]:
    """The settings that code depends on."""
    return _lane_facts[-1], _checks[-1], _turns[-1]
