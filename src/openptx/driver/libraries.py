"""Libraries: modules that all contexts share."""

from __future__ import annotations

import ctypes

from openptx.driver.calls import Failure, initialized, put, put_int, put_size, text
from openptx.driver.images import image_at, ptx_of
from openptx.driver.jit_options import JitOptions
from openptx.driver.modules import Function, Module, content, loaded
from openptx.driver.objects import driver
from openptx.driver.results import Result


@initialized("cuLibraryLoadData")
def load_data(out: int, image: int, names: int, values: int, count: int, *more: int) -> None:
    put(out, 0)
    put(out, loaded(image_at(image), JitOptions(count, names, values)).handle)


@initialized("cuLibraryLoadFromFile")
def load_file(out: int, path: int, names: int, values: int, count: int, *more: int) -> None:
    put(out, 0)
    put(out, loaded(ptx_of(content(text(path, "the path"))), JitOptions(count, names, values)).handle)


@initialized("cuLibraryUnload")
def unload(handle: int) -> None:
    driver().find(handle, Module).end()


@initialized("cuLibraryGetKernel")
def get_kernel(out: int, handle: int, name: int) -> None:
    found = driver().find(handle, Module)
    put(out, found.function(text(name, "the name")).handle)


@initialized("cuLibraryGetKernelCount")
def kernel_count(out: int, handle: int) -> None:
    put(out, len(driver().find(handle, Module).loaded.kernels), ctypes.c_uint32)


@initialized("cuLibraryEnumerateKernels")
def enumerate_kernels(out: int, count: int, handle: int) -> None:
    found = driver().find(handle, Module)
    for i, name in enumerate(found.loaded.kernels[:count]):
        put(out + 8 * i, found.function(name).handle)


@initialized("cuLibraryGetModule")
def get_module(out: int, handle: int) -> None:
    put(out, driver().find(handle, Module).handle)


@initialized("cuLibraryGetGlobal", "cuLibraryGetManaged")
def get_global(address: int, size: int, handle: int, name: int) -> None:
    where, count = driver().find(handle, Module).variable(text(name, "the name"))
    put_size(address, where)
    put_size(size, count)


@initialized("cuLibraryGetUnifiedFunction")
def unified_function(out: int, handle: int, name: int) -> None:
    found = driver().find(handle, Module)
    symbol = text(name, "the name")
    if symbol not in found.loaded.image.functions:
        raise Failure(Result.NOT_FOUND, f"no function `{symbol}`", usual=True)
    put(out, found.loaded.image.functions[symbol])


@initialized("cuKernelGetFunction")
def kernel_function(out: int, handle: int) -> None:
    put(out, driver().find(handle, Function).handle)


@initialized("cuKernelGetLibrary", "cuFuncGetModule")
def library_of(out: int, handle: int) -> None:
    put(out, driver().find(handle, Function).module.handle)


@initialized("cuFuncLoad")
def func_load(handle: int) -> None:
    driver().find(handle, Function)


@initialized("cuFuncIsLoaded")
def is_loaded(out: int, handle: int) -> None:
    driver().find(handle, Function)
    put_int(out, 1)
