"""numba-cuda without a GPU: `@cuda.jit` kernels run on NumPy arrays, without loading a `libcuda.so.1`.

    import openptx.numba
    openptx.numba.activate(target="sm_90")         # then kernel[blocks, threads](x, y) as on a GPU

NumPy arrays are device memory, so `cuda.to_device` returns an array as well. Kernels are compiled by NVIDIA's compiler,
which `pip install 'numba-cuda[cu13]'` installs. numba is not imported before `activate`.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from importlib import import_module
from inspect import signature
from typing import Any, NamedTuple, Self
from weakref import WeakKeyDictionary

import numpy as np

from openptx import memory
from openptx.device.arrays import as_array
from openptx.errors import ArgumentError, Unsupported, require_flags
from openptx.isa.targets import number_of
from openptx.isa.targets import target as find
from openptx.runtime import Kernel, load
from openptx.runtime.options import require_for_all
from openptx.runtime.parameters import Packed, pack
from openptx.source import File


class DeviceArray(np.ndarray[Any, Any]):
    """The result of `cuda.to_device`: an array with numba's methods for copies."""

    def copy_to_host(self, ary: Any = None, stream: object = 0) -> Any:
        if ary is None:
            return np.array(self)
        ary[...] = self
        return ary

    def copy_to_device(self, ary: Any, stream: object = 0) -> None:
        self[...] = ary


class Stream:
    """Launches run to their end, so there is nothing to wait for."""

    handle = 0

    def __int__(self) -> int:
        return 0

    def synchronize(self) -> None:
        """Does nothing: launches have ended when they return."""

    def auto_synchronize(self) -> Self:
        return self

    __enter__ = auto_synchronize

    def __exit__(self, *error: object) -> None:
        """Does nothing: launches have ended when they return."""


class Device(NamedTuple):
    """The parts of a device and its context that numba uses."""

    compute_capability: tuple[int, int]
    id: int = 0
    name: bytes = b"OpenPTX"

    @property
    def device(self) -> Device:
        return self

    def synchronize(self) -> None:
        """Does nothing: launches have ended when they return."""


class ReplacedAttribute(NamedTuple):
    """An attribute of numba before its replacement."""

    owner: Any
    name: str
    value: Any


_replaced: list[ReplacedAttribute] = []
_options: dict[str, Any] = {}
_kernels: WeakKeyDictionary[Any, dict[tuple[int, int], Kernel]] = WeakKeyDictionary()
"""Kernels that numba compiled, by compute capability."""


def activate(
    target: str = "sm_90", *, engine: str = "auto", workers: int | None = None, timeout: float | None = None,
    sanitize: str | None = None, debug: bool = False,
) -> None:  # fmt: skip
    """From now on numba's CUDA kernels are compiled for `target` and run here, on NumPy arrays.

    `engine`, `workers`, `timeout` (seconds), `sanitize` and `debug` are those of each launch (`openptx.Kernel`). Of
    kernels compiled with `debug=True`, launches raise the exceptions that their threads raise. Kernels that other files
    are linked to (`link=`), records and `forall` are not supported in this mode.

    Raises ArgumentError if numba-cuda is not installed, for an unknown target, and for options that no launch accepts.
    """
    if find(target) is None:
        raise ArgumentError(f"no target `{target}`: give one such as sm_90")
    require_for_all(engine, workers, timeout, sanitize)
    require_flags(debug=debug)
    try:
        cuda, dispatcher, compiler, codegen = (
            import_module(f"numba.cuda{part}") for part in ("", ".dispatcher", ".compiler", ".codegen")
        )
    except ImportError as error:
        raise ArgumentError(f"numba-cuda is needed: `pip install 'numba-cuda[cu13]'` ({error})") from error
    deactivate()
    _options.update(engine=engine, workers=workers, timeout=timeout, sanitize=sanitize, debug=debug)
    number = number_of(target)
    device = Device(divmod(number, 10))

    def context(number: object = None) -> Device:
        return device

    for part in (cuda, dispatcher, compiler):
        replace(part, "get_current_device", lambda: device)
    replace(codegen.devices, "get_context", context)
    replace(dispatcher._Kernel, "bind", nothing)
    replace(dispatcher._Kernel, "launch", launch)
    replace(dispatcher.driver, "_to_core_stream", as_stream)
    for name, value in API.items():
        replace(cuda, name, value)


def nothing(*arguments: object) -> None:
    """Does nothing: kernels are loaded when they are launched, and launches have ended when they return."""


def as_stream(stream: object) -> object:
    """The stream argument of a launch, unchanged: it has no effect."""
    return stream


def deactivate() -> None:
    """Restores numba to its state before `activate`."""
    while _replaced:
        owner, name, value = _replaced.pop()
        setattr(owner, name, value)


def replace(owner: Any, name: str, value: object) -> None:
    if hasattr(owner, name):
        _replaced.append(ReplacedAttribute(owner, name, getattr(owner, name)))
        setattr(owner, name, value)


def launch(kernel: Any, args: Any, griddim: Any, blockdim: Any, stream: object = 0, sharedmem: int = 0) -> None:
    """Replaces the launch method of numba's compiled kernels."""
    found = load_kernel(kernel)
    given: list[tuple[str, bytes]] = []
    for name, kind, value in zip(argument_names(kernel), kernel.argument_types, args, strict=True):
        given += [(name, data) for data in flat(kernel, kind, value)]
    parameters = Packed(pack(found.function, [data for _, data in given]), [name for name, _ in given], args)
    status = status_variable(found, "errcode") if kernel.debug else None
    if status is not None:
        status[0] = 0
    found(tuple(griddim), tuple(blockdim), (parameters,), shared_mem=sharedmem, **_options)
    if status is not None and status[0]:
        raise exception(kernel, found, int(status[0]))


def argument_names(kernel: Any) -> list[str]:
    """What faults call the arguments: kernels from numba's cache do not know the names of their parameters."""
    if hasattr(kernel, "py_func"):
        return [f"argument `{name}`" for name in signature(kernel.py_func).parameters]
    return [f"argument {i}" for i, _ in enumerate(kernel.argument_types, 1)]


def status_variable(found: Kernel, name: str) -> Any:
    """A variable of a kernel with `debug=True`, to which the first thread that raises an exception writes."""
    return found.module.get_global(f"{found.name}__{name}__").view(np.int32)


def exception(kernel: Any, found: Kernel, code: int) -> Exception:
    """The exception that numba's launch raises: with the place in Python, and the indices of the thread and block."""
    kind, args, place = kernel.call_helper.get_exception(code)
    thread, block = ([int(status_variable(found, f"{each}{axis}")[0]) for axis in "zyx"] for each in ("tid", "ctaid"))
    where = f"tid={thread} ctaid={block}"
    if place is not None:
        function, path, line = place
        where = f"In function {function!r}, file {os.path.abspath(path)}, line {line}, {where}"
    return kind(f"{where}: {args[0]}", *args[1:]) if args else kind(where)


def load_kernel(kernel: Any) -> Kernel:
    """The kernel from the PTX that numba compiled for the active target: with `debug=True`, a module for each function.
    Raises Unsupported if other files are linked to it."""
    library, device = kernel._codelibrary, import_module("numba.cuda").get_current_device()
    known, number = _kernels.setdefault(library, {}), device.compute_capability
    if number not in known:
        texts = library.get_asm_strs()
        if library._linking_files:
            raise Unsupported(f"numba kernels that other files are linked to: `{kernel.entry_name}`")
        files = [File(f"{library.name}{i or ''}.ptx", text) for i, text in enumerate(texts)]
        known[number] = load(files if len(files) > 1 else files[0])[library._entry_name]
    return known[number]


INTEGERS = {"bool": "<?", "int8": "<b", "int16": "<h", "int32": "<i", "int64": "<q", "uint8": "<B", "uint16": "<H",
            "uint32": "<I", "uint64": "<Q", "float16": "<e", "float32": "<f", "float64": "<d"}  # fmt: skip
COMPLEX = {"complex64": "<2f", "complex128": "<2d"}


def flat(kernel: Any, kind: Any, value: Any) -> Iterator[bytes]:
    """An argument as the parameters of numba's calling convention, each as bytes. Raises Unsupported for other
    types."""
    for extension in reversed(kernel.extensions):
        kind, value = extension.prepare_args(kind, value, stream=0, retr=[])
    types = import_module("numba.cuda.types")
    if isinstance(kind, types.Array):
        array = as_array(np.asarray(value))
        at = memory.address(value)
        yield from (struct.pack("<q", n) for n in (0, 0, array.size, array.itemsize, at, *array.shape, *array.strides))
    elif isinstance(kind, types.BaseTuple):
        for each, item in zip(kind, value, strict=True):
            yield from flat(kernel, each, item)
    elif isinstance(kind, types.EnumMember):
        yield from flat(kernel, kind.dtype, value.value)
    elif str(kind) in COMPLEX:
        parts = struct.pack(COMPLEX[str(kind)], value.real, value.imag)
        yield parts[: len(parts) // 2]
        yield parts[len(parts) // 2 :]
    elif isinstance(kind, types.NPDatetime | types.NPTimedelta):
        yield np.asarray(value).view(np.int64).tobytes()
    elif str(kind) in INTEGERS:
        yield struct.pack(INTEGERS[str(kind)], value)
    else:
        raise Unsupported(f"arguments of numba's type {kind}")


def to_device(obj: Any, stream: object = 0, copy: bool = True, to: Any = None) -> Any:
    """Like `numba.cuda.to_device`."""
    if to is not None:
        to[...] = obj
        return to
    array = np.array(obj, copy=True) if copy else np.asarray(obj)
    return array.view(DeviceArray)


def device_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: Any = "C", stream: object = 0) -> Any:
    """Like `numba.cuda.device_array`."""
    return np.zeros(shape, dtype, order).view(DeviceArray)


def device_array_like(ary: Any, stream: object = 0) -> Any:
    """Like `numba.cuda.device_array_like`."""
    return np.zeros_like(ary).view(DeviceArray)


API: dict[str, object] = {
    "to_device": to_device,
    "device_array": device_array,
    "device_array_like": device_array_like,
    "pinned_array": device_array,
    "mapped_array": device_array,
    "managed_array": device_array,
    "synchronize": nothing,
    "stream": Stream,
    "default_stream": Stream,
    "is_available": lambda: True,
}
"""Replacements for functions of `numba.cuda` that need a driver."""
