"""Settings that hold for a while: where code is kept and compiled, and, for measurements, code without checks."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from openptx.cache_folder import cache_folder as users_folder

if TYPE_CHECKING:
    from openptx.engines.native.instrument.selection import Observer

T = TypeVar("T")

_cache: list[Path | None] = []
_subprocess: list[bool] = []
_tiers: list[bool] = []
_checks: list[bool] = [True]
_lane_facts: list[bool] = [True]
_turns: list[int] = [0]
_watch: ContextVar[Observer | None] = ContextVar("watch", default=None)


@contextmanager
def _during(values: list[T], value: T) -> Generator[None]:
    values.append(value)
    try:
        yield
    finally:
        values.pop()


def cache_folder() -> Path | None:
    """Where objects are kept: OPENPTX_CACHE, or the user's cache folder; None where OPENPTX_CACHE is empty, or where
    this user has no home."""
    if _cache:
        return _cache[-1]
    found = users_folder()
    return Path(found) if found is not None else None


def cache_at(folder: str | os.PathLike[str] | None) -> AbstractContextManager[None]:
    """Keeps objects in `folder` meanwhile; nowhere if that is None."""
    return _during(_cache, Path(folder) if folder is not None else None)


def compiles_in_subprocess() -> bool:
    """Whether kernels are compiled in a process of its own: where OPENPTX_COMPILE_APART is neither empty nor 0."""
    return _subprocess[-1] if _subprocess else os.environ.get("OPENPTX_COMPILE_APART", "0") not in ("", "0")


def in_subprocess(wanted: bool = True) -> AbstractContextManager[None]:
    """Compiles meanwhile in a process of its own, if `wanted`."""
    return _during(_subprocess, wanted)


def has_tiers() -> bool:
    """Whether `auto` launches begin on the reference engine while code is made: unless OPENPTX_TIERS is 0."""
    return _tiers[-1] if _tiers else os.environ.get("OPENPTX_TIERS", "1") != "0"


def tiers(wanted: bool = True) -> AbstractContextManager[None]:
    """Launches begin meanwhile on the reference engine, if `wanted`."""
    return _during(_tiers, wanted)


def checks() -> bool:
    return _checks[-1]


def unchecked() -> AbstractContextManager[None]:
    """Code made meanwhile does not check accesses by offsets. For measuring what checks cost: it is not safe."""
    return _during(_checks, False)


def has_lane_facts() -> bool:
    return _lane_facts[-1]


def lane_facts(wanted: bool) -> AbstractContextManager[None]:
    """Code made meanwhile assumes nothing about lanes unless `wanted`: an oracle for the analyses."""
    return _during(_lane_facts, wanted)


def deoptimize_turns() -> int:
    """After how many turns of any loop a warp counts as waiting; 0: only of loops that may wait, after very many."""
    return _turns[-1]


def deoptimize_after(turns: int) -> AbstractContextManager[None]:
    """Code made meanwhile deoptimises after so many turns: an oracle for the frame states."""
    return _during(_turns, turns)


def variant() -> tuple[object, ...]:
    """What of all this code depends on."""
    observer = _watch.get()
    return _lane_facts[-1], _checks[-1], _turns[-1], observer.tools if observer is not None else ()


def watch() -> Observer | None:
    """What launches of this thread report their accesses to."""
    return _watch.get()


@contextmanager
def watched_by(watch: Observer) -> Generator[None]:
    """Launches of this thread are watched meanwhile."""
    before = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(before)
