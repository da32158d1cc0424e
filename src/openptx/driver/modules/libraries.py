"""Libraries: modules that all contexts share."""

from __future__ import annotations

import ctypes

from openptx.driver.calls import Failure, initialized, put, put_int, put_size, text
from openptx.driver.modules.images import image_at, ptx_of
from openptx.driver.modules.jit_options import JitOptions
from openptx.driver.modules.module import Function, Module, content, load_module
from openptx.driver.results import Result


@initialized("cuLibraryLoadData")
def load_data(out: int, image: int, names: int, values: int, count: int, *more: int) -> None:
    put(out, 0)
    put(out, load_module(image_at(image), JitOptions(count, names, values)).handle)


@initialized("cuLibraryLoadFromFile")
def load_file(out: int, path: int, names: int, values: int, count: int, *more: int) -> None:
    put(out, 0)
    put(out, load_module(ptx_of(content(text(path, "the path"))), JitOptions(count, names, values)).handle)


@initialized("cuLibraryUnload")
def unload(module: Module) -> None:
    module.end()


@initialized("cuLibraryGetKernel")
def get_kernel(out: int, module: Module, name: int) -> None:
    put(out, module.function(text(name, "the name")).handle)


@initialized("cuLibraryGetKernelCount")
def kernel_count(out: int, module: Module) -> None:
    put(out, len(module.loaded.kernels), ctypes.c_uint32)


@initialized("cuLibraryEnumerateKernels")
def enumerate_kernels(out: int, count: int, module: Module) -> None:
    for i, name in enumerate(module.loaded.kernels[:count]):
        put(out + 8 * i, module.function(name).handle)


@initialized("cuLibraryGetModule")
def get_module(out: int, module: Module) -> None:
    put(out, module.handle)


@initialized("cuLibraryGetGlobal")
def get_global(address: int, size: int, module: Module, name: int) -> None:
    where, count = module.variable(text(name, "the name"))
    put_size(address, where)
    put_size(size, count)


@initialized("cuLibraryGetManaged")
def get_managed(address: int, size: int, module: Module, name: int) -> None:
    symbol = text(name, "the name")
    found = module.loaded.program.variables.get(symbol)
    if found is None or not found.managed:
        raise Failure(Result.NOT_FOUND, f"no managed variable `{symbol}`", usual=True)
    get_global(address, size, module, name)


@initialized("cuLibraryGetUnifiedFunction")
def unified_function(out: int, module: Module, name: int) -> None:
    symbol = text(name, "the name")
    if symbol not in module.loaded.image.functions:
        raise Failure(Result.NOT_FOUND, f"no function `{symbol}`", usual=True)
    put(out, module.loaded.image.functions[symbol])


@initialized("cuKernelGetFunction")
def kernel_function(out: int, function: Function) -> None:
    put(out, function.handle)


@initialized("cuKernelGetLibrary", "cuFuncGetModule")
def library_of(out: int, function: Function) -> None:
    put(out, function.module.handle)


@initialized("cuFuncLoad")
def func_load(function: Function) -> None:
    """Does nothing: functions are loaded with their module."""


@initialized("cuFuncIsLoaded")
def is_loaded(out: int, function: Function) -> None:
    put_int(out, 1)
