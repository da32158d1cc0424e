"""The functions that watched kernels call, compiled once for a processor and linked once for a process."""

from __future__ import annotations

from collections.abc import Mapping

from openptx.engines.native.cache import store
from openptx.engines.native.cache.key import digest
from openptx.engines.native.instrument.watch.functions import names, text
from openptx.llvm.codegen import compile
from openptx.llvm.jit import Library

_linked: dict[int, Library] = {}


def functions(address_size: int) -> Mapping[str, int]:
    """The addresses of the functions by name, valid while the process lives."""
    library = _linked.get(address_size)
    if library is None:
        name = digest(f"watch {address_size}")
        image = store.load(name)
        if image is None:
            image = compile(text(address_size))
            store.store(name, image)
        library = _linked.setdefault(address_size, Library(image, tuple(names())))
    return {name: library[name] for name in names()}
