"""Start of the driver: the table of its library is filled at the program's first call."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from openptx.driver import results
from openptx.driver.calls import CALLS, LOG, RETURNED, Call, Failure, interrupt
from openptx.driver.devices.contexts import Context, current
from openptx.driver.entry_points import EntryPoint, entry_points
from openptx.driver.library import Library, fill_table
from openptx.driver.memory.allocations import OWNED
from openptx.driver.objects import Driver, chosen_capability, install
from openptx.driver.streams.capture_modes import checked
from openptx.driver.streams.events import Event
from openptx.driver.streams.objects import DEFAULT, Stream
from openptx.driver.streams.queues import Queue, settle_legacy
from openptx.errors import Bug, Error

PACKAGES = "devices", "memory", "textures", "tensor_maps", "modules", "execution", "streams", "graphs"
"""The packages of modules with entry points."""

SYNCHRONOUS = re.compile(r"cu(Memcpy|MemsetD|MemFree|MemHostUnregister|ArrayDestroy|ModuleUnload|LibraryUnload)")
"""Calls that wait for all work of the legacy default stream, unless they are asynchronous."""
OF_OBJECT = re.compile(
    r"cuMem(cpy(|HtoD|DtoH|DtoD)|set(D2D|D)(8|16|32)|Alloc|AllocFromPool|Free)Async(_v2)?|cuEvent(Query|ElapsedTime(_v2)?)"
)
"""Calls whose last argument is a stream or an event, in whose context they work if the thread has none."""

_once = threading.Lock()
_started: list[Driver] = []


def start(path: bytes) -> None:
    """Fills the table of the library at a path, once."""
    with _once:
        if _started:
            return
        library = Library(path)
        driver = install(Driver(library, chosen_capability()))
        for package in PACKAGES:
            place = import_module(f"openptx.driver.{package}")
            for module in iter_modules(place.__path__, f"{place.__name__}."):
                import_module(module.name)
        _started.append(driver)
        fill_table(library.c, [callback(driver, entry) for entry in entry_points()])


def callback(driver: Driver, entry: EntryPoint) -> Any:
    """The function of an entry point, for the table; None if it is not implemented."""
    call = CALLS.get(entry.symbol)
    if call is None:
        return None
    kind = ctypes.CFUNCTYPE(ctypes.c_int, *entry.types)
    return kind(guard(driver, call, entry.symbol))


def guard(driver: Driver, call: Call, symbol: str) -> Callable[..., int]:
    """The function of an entry point with its requirements checked. Its results, also those of exceptions, have
    RETURNED added."""
    function, needs = checked(symbol, driver.with_objects(call.function)), call.needs
    context_for = context_finder(driver, symbol)

    def plain(*arguments: Any) -> int:
        try:
            if not driver.initialized and needs != "nothing":
                return results.Result.NOT_INITIALIZED | RETURNED
            return (function(*arguments) or 0) | RETURNED
        except BaseException as error:
            return failed(symbol, error) | RETURNED

    def with_context(*arguments: Any) -> int:
        try:
            if not driver.initialized:
                return results.Result.NOT_INITIALIZED | RETURNED
            context = context_for(arguments)
            if context.error:
                return context.error | RETURNED
            return (function(context, *arguments) or 0) | RETURNED
        except BaseException as error:
            return failed(symbol, error) | RETURNED

    def in_order(*arguments: Any) -> int:
        if Queue.stalled:
            try:
                settle_legacy(context_for(arguments), symbol)
            except BaseException as error:
                return failed(symbol, error) | RETURNED
        return with_context(*arguments)

    if needs != "context":
        return plain
    return in_order if SYNCHRONOUS.match(symbol) and "Async" not in symbol else with_context


def context_finder(driver: Driver, symbol: str) -> Callable[[tuple[Any, ...]], Context]:
    """How a call finds its context: that of the thread, or if it has none, that of the memory that it frees, or of the
    stream or event that is its last argument. NVIDIA's driver needs no current context for these calls: cuda.core frees
    memory without, libcu++ copies and fills it, cuda-api-wrappers allocates it and asks events for times."""
    kind = Event if symbol.startswith("cuEvent") else Stream

    def of_memory(arguments: tuple[Any, ...]) -> Context:
        owned = None if driver.library.current() else OWNED.get(arguments[0])
        return owned.context if owned and owned.context else current(driver)

    def of_object(arguments: tuple[Any, ...]) -> Context:
        if driver.library.current() or arguments[-1] in DEFAULT:
            return current(driver)
        return driver.find(arguments[-1], kind).context

    if symbol == "cuMemFree_v2":
        return of_memory
    return of_object if OF_OBJECT.fullmatch(symbol) else lambda arguments: current(driver)


def failed(symbol: str, error: BaseException) -> int:
    """The result of an entry point after an exception, which is logged."""
    if isinstance(error, Failure):
        if error.why and not error.usual:
            LOG.warning("%s: %s", symbol, error.why)
        return error.result
    if isinstance(error, MemoryError):
        LOG.warning("%s: %s", symbol, error)
        return results.Result.OUT_OF_MEMORY
    if isinstance(error, Error) and not isinstance(error, Bug):
        LOG.warning("%s: %s", symbol, error)
        return results.Result.INVALID_VALUE
    if isinstance(error, Exception):
        LOG.error("%s: %s", symbol, Bug.of(error), exc_info=error)
    else:
        interrupt(symbol)
    return results.Result.UNKNOWN
