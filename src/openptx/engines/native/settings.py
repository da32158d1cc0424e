"""What may be set for a while: where objects are kept and made, and for measurements alone, code without checks."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_cache: list[Path | None] = []
_subprocess: list[bool] = []
_checks: list[bool] = [True]
_lane_facts: list[bool] = [True]
_turns: list[int] = [0]


def cache_folder() -> Path | None:
    """Where objects are kept: OPENPTX_CACHE, or the user's cache folder; None where OPENPTX_CACHE is empty, or where
    this user has no home."""
    if _cache:
        return _cache[-1]
    chosen = os.environ.get("OPENPTX_CACHE")
    if chosen is not None:
        return Path(chosen) if chosen else None
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "openptx"
    except RuntimeError:
        return None


@contextmanager
def cache_at(folder: str | os.PathLike[str] | None) -> Generator[None]:
    """Keeps objects in `folder` meanwhile; nowhere if that is None."""
    _cache.append(Path(folder) if folder is not None else None)
    try:
        yield
    finally:
        _cache.pop()


def compiles_in_subprocess() -> bool:
    """Whether kernels are compiled in a process of its own: where OPENPTX_COMPILE_APART is neither empty nor 0."""
    return _subprocess[-1] if _subprocess else os.environ.get("OPENPTX_COMPILE_APART", "0") not in ("", "0")


@contextmanager
def in_subprocess(wanted: bool = True) -> Generator[None]:
    """Compiles meanwhile in a process of its own, if `wanted`."""
    _subprocess.append(wanted)
    try:
        yield
    finally:
        _subprocess.pop()


def checks() -> bool:
    return _checks[-1]


@contextmanager
def unchecked() -> Generator[None]:
    """Code made meanwhile does not check accesses by offsets. For measuring what checks cost: it is not safe."""
    _checks.append(False)
    try:
        yield
    finally:
        _checks.pop()


def has_lane_facts() -> bool:
    return _lane_facts[-1]


@contextmanager
def lane_facts(wanted: bool) -> Generator[None]:
    """Code made meanwhile knows nothing of lanes unless `wanted`: an oracle for what it otherwise knows."""
    _lane_facts.append(wanted)
    try:
        yield
    finally:
        _lane_facts.pop()


def deoptimize_turns() -> int:
    """After how many turns of any loop a warp counts as waiting; 0: only of loops that may wait, after very many."""
    return _turns[-1]


@contextmanager
def deoptimize_after(turns: int) -> Generator[None]:
    """Code made meanwhile leaves for the reference engine after so many turns: an oracle for what it takes along."""
    _turns.append(turns)
    try:
        yield
    finally:
        _turns.pop()
