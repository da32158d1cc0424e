"""Contexts, and the objects they own: the current context, the sticky error after a fault, limits; the profiler's
switch."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from openptx.device.memory import device
from openptx.driver.calls import LOG, Failure, counted, get, in_context, initialized, invalid, put, put_int, unsupported
from openptx.driver.devices.device import require_device
from openptx.driver.objects import Driver, Object, driver
from openptx.driver.results import Result

LIMITS = {0: 1024, 1: 1 << 20, 2: 8 << 20, 3: 2, 4: 2048, 5: 128, 6: 0}
"""CU_LIMIT_STACK_SIZE, PRINTF_FIFO_SIZE, MALLOC_HEAP_SIZE, DEV_RUNTIME_SYNC_DEPTH, DEV_RUNTIME_PENDING_LAUNCH_COUNT,
MAX_L2_FETCH_GRANULARITY, PERSISTING_L2_CACHE_SIZE. They are stored; one has an effect:"""
HEAP_SIZE = 2
MAP_HOST = 8
SCHEDULING, CONTEXT_FLAGS = 0x07, 0xFF
"""CU_CTX_SCHED_MASK, CU_CTX_FLAGS_MASK."""
API_VERSION = 3020
T = TypeVar("T", bound=Object)


class Context(Object):
    """`error` is the result of all its calls after a fault; `owned` objects end with it, each by a function."""

    what = "context"

    def __init__(self, flags: int, primary: bool) -> None:
        super().__init__()
        self.primary = primary
        self.owned: dict[Object, Callable[[], None]] = {}
        self.references = 0  # of the primary context; for other contexts, by cuCtxAttach
        self.begin(flags)

    def begin(self, flags: int) -> None:
        """Sets the state of a new context."""
        self.flags = flags
        self.error = Result.SUCCESS
        self.limits = dict(LIMITS)
        self.cache_config = self.shared_config = 0

    def own(self, made: T, end: Callable[[], None] | None = None) -> T:
        """Adds an object that ends with the context: by the function, or by being forgotten."""
        self.owned[driver().add(made)] = end or partial(driver().remove, made)
        return made

    def disown(self, known: Object) -> None:
        """Forgets an object before the context ends."""
        self.owned.pop(known, None)
        driver().remove(known)

    def fail(self, result: Result, words: str) -> Failure:
        """A fault: the context is unusable from now on. The program also finds the message in the error's text."""
        self.error = result
        library = driver().library
        library.context(self.handle, result)
        library.describe(result, f"{result.text}\n{words}")
        LOG.error("%s\n%s", result.text, words.rstrip())
        return Failure(result)


AT_END: list[Callable[[Context], None]] = []
"""Further objects that end with a context."""


class Primary:
    """The context that all users of a device share. Flags may be set before it exists.

    Once it exists it keeps its handle. It stays current to its threads when its last reference is released; their
    calls then fail until it is retained again.
    """

    context: Context | None = None
    flags = MAP_HOST


def current(where: Driver) -> Context:
    """The thread's context. Fails if it has none."""
    handle = where.library.current()
    if not handle:
        raise Failure(Result.INVALID_CONTEXT, "no context is current to this thread")
    return where.find(handle, Context, Result.CONTEXT_IS_DESTROYED)


def context_of(handle: int) -> Context:
    """The context of a handle; for 0 that of the thread."""
    return driver().find(handle, Context, Result.INVALID_CONTEXT) if handle else current(driver())


def create(flags: int, primary: bool) -> Context:
    """A new context, known to the library. Fails if there are too many."""
    made = driver().add(Context(flags, primary))
    if not driver().library.context(made.handle):
        driver().remove(made)
        raise Failure(Result.OUT_OF_MEMORY, "there are too many contexts")
    return made


def destroy(context: Context) -> None:
    """Ends a context's objects, and the context unless it is the primary one, which may begin again."""
    for end in [*context.owned.values()]:
        end()
    context.owned.clear()
    for end in AT_END:
        end(context)
    driver().library.describe(context.error, context.error.text)  # without that of an earlier fault
    if context.primary:
        context.references, context.error = 0, Result.CONTEXT_IS_DESTROYED
        driver().library.context(context.handle, context.error)
    else:
        driver().remove(context)
        driver().library.forget(context.handle)


@initialized("cuCtxCreate", "cuCtxCreate_v2")
def ctx_create(out: int, flags: int, device: int) -> None:
    require_device(device)
    put(out, 0)
    made = create(flags, False)
    if not driver().library.push(made.handle):
        destroy(made)
        raise invalid("the thread's stack of contexts is full")
    put(out, made.handle)


@initialized("cuCtxCreate_v3")
def ctx_create_v3(out: int, affinities: int, count: int, flags: int, device: int) -> None:
    if count:
        raise unsupported("contexts with an execution affinity")
    ctx_create(out, flags, device)


@initialized("cuCtxCreate_v4")
def ctx_create_v4(out: int, parameters: int, flags: int, device: int) -> None:
    ctx_create(out, flags, device)


@initialized("cuCtxDestroy", "cuCtxDestroy_v2")
def ctx_destroy(handle: int) -> None:
    found = driver().find(handle, Context, Result.INVALID_CONTEXT)
    if found.primary:
        raise Failure(Result.INVALID_CONTEXT, "the primary context is released, not destroyed")
    if driver().library.current() == handle:
        driver().library.pop()
    destroy(found)


@initialized("cuCtxAttach")
def ctx_attach(out: int, flags: int) -> None:
    put(out, 0)
    if flags:
        raise invalid("flags of cuCtxAttach are 0")
    found = current(driver())
    found.references += 1
    put(out, found.handle)


@initialized("cuCtxDetach")
def ctx_detach(handle: int) -> None:
    """Ends a context of cuCtxCreate if there is no other reference to it."""
    found = driver().find(handle, Context, Result.INVALID_CONTEXT)
    if driver().library.current() != handle:
        raise Failure(Result.INVALID_CONTEXT, "a context that is detached must be the thread's")
    if found.references and not found.primary:
        found.references -= 1
    else:
        ctx_destroy(handle)


@initialized("cuCtxGetApiVersion")
def api_version(handle: int, out: int) -> None:
    if context_of(handle).error == Result.CONTEXT_IS_DESTROYED:  # which is how programs check whether it is active
        raise Failure(Result.CONTEXT_IS_DESTROYED, "the primary context is not active", usual=True)
    put(out, API_VERSION, ctypes.c_uint32)


@initialized("cuCtxGetDevice")
def ctx_device(out: int) -> None:
    if not driver().library.current():  # which is how programs check whether there is one
        raise Failure(Result.INVALID_CONTEXT, "no context is current to this thread", usual=True)
    current(driver())
    put_int(out, 0)


@initialized("cuCtxGetDevice_v2")
def device_of(out: int, handle: int) -> None:
    context_of(handle)
    put_int(out, 0)


@initialized("cuCtxGetFlags")
def ctx_flags(out: int) -> None:
    put(out, current(driver()).flags, ctypes.c_uint32)


@in_context("cuCtxSetFlags")
def set_flags(context: Context, flags: int) -> None:
    context.flags = flags


@initialized("cuCtxGetId")
def ctx_id(handle: int, out: int) -> None:
    put(out, context_of(handle).handle)


@in_context("cuCtxGetLimit")
def get_limit(context: Context, out: int, limit: int) -> None:
    if limit not in context.limits:
        raise Failure(Result.UNSUPPORTED_LIMIT, f"the device has no limit {limit}")
    put(out, context.limits[limit])


@in_context("cuCtxSetLimit")
def set_limit(context: Context, limit: int, value: int) -> None:
    if limit not in context.limits:
        raise Failure(Result.UNSUPPORTED_LIMIT, f"the device has no limit {limit}")
    if limit == HEAP_SIZE:
        try:
            device(64).device_heap().grow(value)
        except MemoryError as error:
            raise Failure(Result.OUT_OF_MEMORY, str(error)) from None
    context.limits[limit] = value


@in_context("cuCtxGetCacheConfig")
def get_cache_config(context: Context, out: int) -> None:
    put_int(out, context.cache_config)


@in_context("cuCtxSetCacheConfig")
def set_cache_config(context: Context, config: int) -> None:
    if config not in range(4):
        raise invalid(f"cache configuration {config}")
    context.cache_config = config


@in_context("cuCtxGetSharedMemConfig")
def get_shared_config(context: Context, out: int) -> None:
    put_int(out, context.shared_config)


@in_context("cuCtxSetSharedMemConfig")
def set_shared_config(context: Context, config: int) -> None:
    if config not in range(3):
        raise invalid(f"banks of shared memory of configuration {config}")
    context.shared_config = config


@in_context("cuCtxGetStreamPriorityRange")
def priority_range(context: Context, least: int, greatest: int) -> None:
    for pointer, value in (least, 0), (greatest, -5):
        if pointer:
            put_int(pointer, value)


@in_context("cuCtxResetPersistingL2Cache")
def reset_persisting(context: Context) -> None:
    """Does nothing: there is no persisting L2 cache."""


@in_context("cuCtxEnablePeerAccess")
def enable_peer(context: Context, peer: int, flags: int) -> None:
    raise Failure(Result.PEER_ACCESS_UNSUPPORTED, "there is one device, which is not its own peer")


@in_context("cuCtxDisablePeerAccess")
def disable_peer(context: Context, peer: int) -> None:
    raise Failure(Result.PEER_ACCESS_NOT_ENABLED, "there is one device, which is not its own peer")


@initialized("cuDevicePrimaryCtxRetain")
def retain(out: int, device: int) -> None:
    require_device(device)
    put(out, 0)
    if Primary.context is None:
        Primary.context = create(Primary.flags, True)
    elif not Primary.context.references:
        Primary.context.begin(Primary.flags)
        driver().library.context(Primary.context.handle)
    Primary.context.references += 1
    put(out, Primary.context.handle)


@initialized("cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2")
def release(device: int) -> None:
    require_device(device)
    if Primary.context is None or not Primary.context.references:
        raise Failure(Result.INVALID_CONTEXT, "the primary context is released more often than it was retained")
    Primary.context.references -= 1
    if not Primary.context.references:
        reset(device)


@initialized("cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxReset_v2")
def reset(device: int) -> None:
    require_device(device)
    if Primary.context is not None:
        destroy(Primary.context)


@initialized("cuDevicePrimaryCtxGetState")
def primary_state(device: int, flags: int, active: int) -> None:
    require_device(device)
    put(flags, Primary.flags, ctypes.c_uint32)
    put_int(active, Primary.context is not None and Primary.context.references > 0)


@initialized("cuDevicePrimaryCtxSetFlags", "cuDevicePrimaryCtxSetFlags_v2")
def primary_flags(device: int, flags: int) -> None:
    require_device(device)
    if flags & ~CONTEXT_FLAGS or flags & SCHEDULING not in (0, 1, 2, 4):
        raise invalid(f"flags 0x{flags:x} of a context")
    Primary.flags = flags | MAP_HOST
    if Primary.context is not None:
        Primary.context.flags = Primary.flags


def read_handles(pointer: int, count: int) -> list[int]:
    """Reads an array of handles of the caller."""
    return [get(pointer + 8 * i) for i in counted(count, "handles", driver().count)]


@in_context("cuProfilerStart", "cuProfilerStop")
def switch(context: Context) -> None:
    """Succeeds, as on a GPU without an active profiler."""


@in_context("cuProfilerInitialize")
def initialize(context: Context, configuration: int, output: int, mode: int) -> None:
    raise unsupported("cuProfilerInitialize, which CUDA has dropped in version 11")
