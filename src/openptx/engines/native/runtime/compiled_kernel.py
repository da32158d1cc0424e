"""A kernel compiled for one shape of blocks: its text, its object, and the function that runs CTAs."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence

from openptx.device.image import Image
from openptx.engines.interp.decode import NoMeaning
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.cache import store
from openptx.engines.native.cache.key import name_of
from openptx.engines.native.cache.metadata import KernelMetadata, pack, unpack
from openptx.engines.native.instrument.selection import addresses
from openptx.engines.native.pipeline import LoweredKernel, lower_kernel
from openptx.engines.native.rtlib.shared_functions import objects_of
from openptx.engines.native.rtlib.support import RUN, compiling, support
from openptx.engines.native.runtime.code_requests import name_of_code
from openptx.engines.native.settings import Options
from openptx.engines.tensor_cores import library as tensor_cores
from openptx.engines.tiers.service import made_by_service
from openptx.errors import Bug
from openptx.garbage import uncollected
from openptx.llvm.jit import Library
from openptx.locks import check_cancelled
from openptx.program import Function, Program

LOG = logging.getLogger("openptx")

CALL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


class CompiledKernel:
    """Machine code for one kernel and shape of blocks, ready to run."""

    __slots__ = ("frame_states", "kernel", "known", "library", "messages", "metadata", "run", "slow", "support")

    def __init__(self, metadata: KernelMetadata, objects: Sequence[bytes], watched: tuple[str, ...] = ()) -> None:
        self.metadata = metadata
        self.known = {**addresses(watched, metadata.address_size), **tensor_cores.addresses(metadata.products)}
        self.messages, self.frame_states = metadata.messages, [metadata.frame_states]  # the generic version has more
        self.support = support(metadata.address_size, metadata.rounds, metadata.counted)
        self.library = self.support.link(objects, "kernel", self.known)
        self.kernel = self.library["kernel"]
        self.run = CALL(self.support.library[RUN])
        self.slow: Library | None = None


def load_or_compile(
    name: str, function: Function, lower: Callable[[], LoweredKernel]
) -> tuple[KernelMetadata, list[bytes]]:
    """The code stored on disk under a name, or requested from the compile service, or else compiled from a text and
    stored."""
    if (data := store.load(name)) is not None:
        with contextlib.suppress(ValueError):
            found = unpack(data)
            LOG.info("kernel `%s` runs machine code: its code was in the cache", function.name)
            return found
    data = made_by_service(name, check_cancelled)
    if isinstance(data, str):
        raise UnsupportedByJit(data)
    if data is not None:
        return unpack(data)
    start = time.perf_counter()
    with compiling(function) as compile:
        with uncollected():
            kernel = lower()
        lowered = time.perf_counter()
        metadata = kernel.metadata
        _ = support(metadata.address_size, metadata.rounds, metadata.counted).library  # its guard is needed now
        objects = [compile(kernel.text, kernel.promotes, kernel.fast), *objects_of(kernel.shared)]
    LOG.info(
        "kernel `%s`: %d characters of LLVM's text in %.3f s, made %s code here in %.3f s", function.name,
        metadata.size, lowered - start, "baseline" if kernel.fast else "optimised", time.perf_counter() - lowered,
    )  # fmt: skip
    store.store(name, pack(metadata, objects))
    return metadata, objects


_compiled: weakref.WeakKeyDictionary[Image, dict[tuple[object, ...], CompiledKernel | UnsupportedByJit]] = (
    weakref.WeakKeyDictionary()
)


def compiled(program: Program, function: Function, image: Image, options: Options) -> CompiledKernel:
    """The kernel's code, compiled on first use."""
    known = _compiled.setdefault(image, {})
    key = (function.name, *options)
    found = known.get(key)
    if found is None:
        try:
            name = name_of_code(program, function, options)
            lowered = load_or_compile(name, function, lambda: lower_kernel(program, function, image, options))
            found = CompiledKernel(*lowered, options.watched)
        except UnsupportedByJit as fallback:
            found = fallback
        except (NotImplementedError, NoMeaning) as gap:  # a machine's method, or an instruction, that only interp has
            found = UnsupportedByJit(str(gap))
        known[key] = found
    if isinstance(found, UnsupportedByJit):
        raise found
    return found


def ready(image: Image, function: Function, block: tuple[int, int, int]) -> bool:
    """Whether the kernel's code for such blocks has been compiled."""
    return any(key[:2] == (function.name, block) for key in _compiled.get(image, {}))


_making = threading.RLock()
"""Held while a generic version is being compiled, so that workers which need it at the same time compile it once."""


def _forked() -> None:
    global _making
    _making = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def slow(program: Program, function: Function, image: Image, options: Options, code: CompiledKernel) -> int:
    """The address of the generic version, which takes over at side exits; compiled when first needed."""
    while (found := code.slow) is None:
        making = _making  # the child of a fork has a lock of its own
        if not making.acquire(timeout=0.05):
            check_cancelled()
            continue
        try:
            if code.slow is None:
                made = made_slow(program, function, image, options, code)
                code.slow = code.slow or made  # a signal handler may have launched the kernel, too
        finally:
            making.release()
    return found["slow"]


def made_slow(program: Program, function: Function, image: Image, options: Options, code: CompiledKernel) -> Library:
    plain = options._replace(lane_facts=False, speculates=False)
    given = code.metadata.exits, code.metadata.globals, code.messages
    name = name_of(program, function, plain, repr((tuple(options), *given)))
    metadata, objects = load_or_compile(name, function, lambda: lower_kernel(program, function, image, plain, *given))
    if metadata.globals != code.metadata.globals:
        raise Bug(f"the generic version of `{function.name}` knows other variables: {metadata.globals}")
    if metadata.deoptimizes and not code.metadata.deoptimizes:
        raise Bug(f"the generic version of `{function.name}` deoptimises, and the version that exits to it does not")
    code.frame_states.append(metadata.frame_states)
    code.messages = metadata.messages
    return code.support.link(objects, "slow", {**code.known, **tensor_cores.addresses(metadata.products)})
