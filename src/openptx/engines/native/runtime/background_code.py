"""The code of one request, as a process makes it that does nothing else: a fork, or one of the compile server's."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from openptx.device.image import Image
from openptx.engines.interp.decode import NoMeaning
from openptx.engines.native import settings
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.cache import store
from openptx.engines.native.cache.key import name_of
from openptx.engines.native.cache.metadata import KernelMetadata, pack, unpack
from openptx.engines.native.options import Options
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.rtlib.shared_functions import objects_of
from openptx.engines.native.rtlib.support import support
from openptx.engines.tensor_cores.library import prepare
from openptx.engines.tiers.messages import Reply
from openptx.llvm.codegen import compile
from openptx.program import Function, Program

Codes = dict[str, bytes]
"""Packed metadata and objects, by key."""


def reply_with(name: str, make: Callable[[], Codes]) -> Reply:
    """The code, or why there is none. Whatever goes wrong concerns this kernel alone."""
    start = time.perf_counter()
    codes, unsupported, problem = Codes(), "", ""
    try:
        codes = make()
    except (UnsupportedByJit, NotImplementedError, NoMeaning) as gap:
        unsupported = str(gap)
    except Exception as error:
        problem = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return Reply(name, codes, unsupported, problem, time.perf_counter() - start)


def codes_of(
    program: Program, function: Function, image: Image, options: Options, several_workers: bool, cache: str | None
) -> Codes:
    """The code of a kernel with given options, and with locked atomics where those are wanted too."""
    with settings.cache_at(cache):
        codes = Codes()
        for one in (options, *([replace(options, locked=True)] if several_workers else [])):
            name = name_of(program, function, one, "fast")
            codes[name], metadata = made(name, program, function, image, one)
            if metadata.free_order or metadata.interprets:  # atomics of CTAs don't meet, or one worker runs them
                break
        return codes


def made(
    name: str, program: Program, function: Function, image: Image, options: Options
) -> tuple[bytes, KernelMetadata]:
    """Code from the disk, or made and kept there; what it calls of the library is made too."""
    if (data := store.load(name)) is not None:
        return data, unpack(data)[0]
    kernel = lower_kernel(program, function, image, options)
    metadata = kernel.metadata
    data = pack(metadata, [compile(kernel.text, kernel.promotes, kernel.fast), *objects_of(kernel.shared)])
    store.store(name, data)
    library = support(metadata.address_size, metadata.rounds, metadata.counted)
    if settings.cache_folder() is not None:
        if not store.has(library.name):
            store.store(library.name, compile(library.text()))
        prepare(metadata.products)
    return data, metadata
