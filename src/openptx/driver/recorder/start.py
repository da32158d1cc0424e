"""Start of the recorder: the table of its library is filled at the program's first call."""

from __future__ import annotations

import ctypes
import threading
from importlib import import_module
from typing import Any

from openptx.driver.entry_points import entry_points
from openptx.driver.library import fill_table
from openptx.driver.recorder.real import RealDriver
from openptx.driver.recorder.session import Session
from openptx.driver.recorder.settings import from_environment
from openptx.driver.recorder.wrappers import WRAPPERS, guard

CHAPTERS = ("memory_calls", "module_calls", "launches", "tensor_maps")
"""Modules of this package that wrap entry points."""

_once = threading.Lock()
_started: list[Session] = []


def start(path: bytes) -> None:
    """Fills the table of the library at a path, once."""
    with _once:
        if _started:
            return
        real = RealDriver(path)
        session = Session(real, from_environment())
        for name in CHAPTERS:
            import_module(f"openptx.driver.recorder.{name}")
        _started.append(session)
        fill_table(real.c, [callback(session, slot, symbol) for slot, symbol in enumerate(slots())])


def slots() -> list[str]:
    """The symbol of each slot of the table: per-thread-stream variants come after the others."""
    found = entry_points()
    return [*(entry.symbol for entry in found), *(entry.symbol for entry in found for _ in entry.aliases)]


def callback(session: Session, slot: int, symbol: str) -> Any:
    """The function for a slot; None if the real driver's is used, or has none."""
    wrapper, function = WRAPPERS.get(symbol), None
    if wrapper is not None:
        function = session.real.function(slot, symbol)
    if wrapper is None or function is None:
        return None
    types = next(entry.types for entry in entry_points() if entry.symbol == symbol)
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(guard(session, wrapper, function, symbol))
