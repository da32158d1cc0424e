"""The library of routines: compiled once per processor and stored on disk, linked once per process, on first use."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from openptx.engines.native.cache import store
from openptx.engines.native.cache.key import digest
from openptx.engines.tensor_cores import copy_text, product_text
from openptx.engines.tensor_cores.product_text import compiled_product
from openptx.engines.tensor_cores.routine import routine
from openptx.engines.tensor_cores.staging import WORDS
from openptx.engines.tensor_cores.tiles import tile_routine
from openptx.isa.semantics.matrix.descriptors import CHUNKS
from openptx.isa.semantics.matrix.tensor_operations import TensorCopy, TensorProduct
from openptx.llvm.codegen import compile
from openptx.llvm.host import host
from openptx.llvm.jit import Library
from openptx.locks import LLVM
from openptx.numerics.compiled import has_half
from openptx.numerics.dot import BLOCK, Factors
from openptx.numerics.formats import F16, F32, UE4M3, UE8M0
from openptx.numerics.matrix_product import MatrixProduct, parsed

PREFIX = "openptx.product."

_ALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 6)


def supported(p: MatrixProduct) -> bool:
    """Whether a routine for such products exists on this processor."""
    if p.blocked:
        return p.scale in (UE8M0, UE4M3) and p.words * p.elements % (BLOCK * p.scales) == 0
    if p.words % WORDS or p.f.width != p.g.width or p.f.width not in (8, 16, 32) or p.scale not in (None, UE8M0):
        return False
    if p.h is None or p.d is None:
        return p.f.width == 8 and p.f.format is p.g.format is p.h is p.d is None
    if not (is_float(p.f) and is_float(p.g)) or p.fraction > 25:
        return False
    return p.h in (F16, F32) and (p.d is F32 or (p.d is F16 and has_half()))


def is_float(f: Factors) -> bool:
    """A format with a sign, zero and subnormal numbers, whose values fit f32."""
    k = f.format
    return k is not None and k.gradual and k.signed and k.exp <= F32.exp and k.man < F32.man


class Routine:
    """The addresses of `routine`'s functions, valid for the lifetime of the process."""

    def __init__(self, p: MatrixProduct) -> None:
        name = PREFIX + p.key
        self._library = Library(object_of(p), (name, f"{name}.all"))
        self.address = self._library[name]
        self.all: Callable[..., None] = _ALL(self._library[f"{name}.all"])


_routines: dict[str, Routine] = {}


def routine_of(p: MatrixProduct) -> Routine:
    found = _routines.get(p.key)
    if found is None:
        with LLVM:
            found = _routines.get(p.key) or _routines.setdefault(p.key, Routine(p))
    return found


def ready(p: MatrixProduct) -> bool:
    """Whether the routine is linked, or on disk."""
    return p.key in _routines or store.has(stored_as(p))


def object_of(p: MatrixProduct) -> bytes:
    """The routine's object: compiled if it is not on disk."""
    found = store.load(stored_as(p))
    if found is None:
        with LLVM:
            found = compile(routine(p, PREFIX + p.key, host().avx512), lasting=True)
        store.store(stored_as(p), found)
    return found


def stored_as(p: MatrixProduct) -> str:
    return digest(f"product {p.key}")


TILE = "openptx.tile."
"""The names of routines for tensor memory."""

_MADE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *[ctypes.c_int64] * 2, *[ctypes.c_void_p] * 4)


class TensorCode:
    """The compiled effect of an instruction on tensor memory (`MEMORY`), valid for the lifetime of the process."""

    def __init__(self, image: bytes, known: Mapping[str, int] = MappingProxyType({})) -> None:
        self._library = Library(image, (ENTRY,), known)
        self.address = self._library[ENTRY]
        self.call: Callable[..., int] = _MADE(self.address)


ENTRY = "entry"

_tiles: dict[str, Library] = {}
_tensor_code: dict[str, TensorCode] = {}


def key_of(p: TensorProduct, code: int, widths: Sequence[int]) -> str:
    return f"{p.key} {code & product_text.WHAT:x} {widths}"


def tensor_product(p: TensorProduct, code: int, widths: Sequence[int]) -> TensorCode | None:
    """The code of a product; None if there is no routine for it."""
    key = key_of(p, code, widths)
    found = _tensor_code.get(key)
    if found is None and (m := compiled_product(p, code)) is not None and supported(m):
        with LLVM:
            name = f"{TILE}{m.key}"
            tile = _tiles.get(m.key)
            if tile is None:
                image = load_or_make(
                    f"tile {m.key}", lambda: compile(tile_routine(m, name, host().avx512), lasting=True)
                )
                tile = _tiles[m.key] = Library(image, (name,))
            image = load_or_make(key, lambda: compile(product_text.text(p, code, widths, ENTRY, name, m), lasting=True))
            found = _tensor_code.setdefault(key, TensorCode(image, {name: tile[name]}))
    return found


def tensor_copy(p: TensorCopy, mode: int) -> TensorCode | None:
    """The code of a copy; None for a swizzling mode that does not exist."""
    key = f"copy {p.key} {mode}"
    found = _tensor_code.get(key)
    if found is None and mode in CHUNKS:
        with LLVM:
            image = load_or_make(key, lambda: compile(copy_text.text(p, mode, ENTRY)))
            found = _tensor_code.setdefault(key, TensorCode(image))
    return found


def tensor_product_ready(p: TensorProduct, code: int, widths: Sequence[int], m: MatrixProduct) -> bool:
    """Whether the product's code is linked, or on disk."""
    key = key_of(p, code, widths)
    return key in _tensor_code or (store.has(digest(key)) and store.has(digest(f"tile {m.key}")))


def load_or_make(what: str, make: Callable[[], bytes]) -> bytes:
    """An object on disk, compiled if it is not there."""
    name = digest(what)
    found = store.load(name)
    if found is None:
        with LLVM:
            found = make()
        store.store(name, found)
    return found


def declarations(keys: list[str]) -> list[str]:
    """The declarations that a kernel needs to call the routines of these products."""
    return [f"declare void @{PREFIX}{key}(ptr, ptr, ptr, ptr, i64) nounwind" for key in keys]


def prepare(keys: list[str]) -> None:
    """Compiles the routines that a kernel calls, and stores them on disk."""
    for key in keys:
        if not ready(parsed(key)):
            object_of(parsed(key))


def addresses(keys: list[str]) -> dict[str, int]:
    """The addresses of the routines that a kernel calls, by name."""
    return {PREFIX + key: routine_of(parsed(key)).address for key in keys}
