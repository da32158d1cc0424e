"""Attributes of kernels: names, parameters, threads, shared memory, registers."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cache

from openptx.device.shared_layout import shared_layout
from openptx.driver.calls import in_context, initialized, invalid, put, put_int, put_size
from openptx.driver.devices.attributes import attributes
from openptx.driver.devices.contexts import Context
from openptx.driver.modules.module import Function, stated_capability
from openptx.driver.objects import driver
from openptx.errors import Triple
from openptx.profile.occupancy import registers_allowed
from openptx.profile.registers import live_registers
from openptx.program import Program
from openptx.runtime.module import Kernel
from openptx.runtime.options import THREADS

(MAX_THREADS, SHARED, CONST, LOCAL, REGISTERS, PTX_VERSION, BINARY_VERSION, CACHE_MODE, MAX_DYNAMIC, CARVEOUT,
 CLUSTER_REQUIRED, CLUSTER_X, CLUSTER_Y, CLUSTER_Z, NON_PORTABLE, CLUSTER_POLICY) = range(16)  # fmt: skip
SETTABLE = {MAX_DYNAMIC, CARVEOUT, CLUSTER_X, CLUSTER_Y, CLUSTER_Z, NON_PORTABLE, CLUSTER_POLICY}
OPT_IN, WITHOUT_OPT_IN = 97, 8
"""Attributes of the device: the most shared memory of a block, with and without MAX_DYNAMIC."""
ATTRIBUTES, MOST_CONFIG = 16, 3
"""The number of attributes of a kernel, and CU_FUNC_CACHE_PREFER_EQUAL."""
PORTABLE_BLOCKS, MOST_BLOCKS = 8, 16
"""The maximum size of a cluster (CUDA C++ Programming Guide, Thread Block Clusters)."""


def static_shared(kernel: Kernel) -> int:
    """Bytes of static shared memory."""
    return shared_layout(kernel.module.program, kernel.name).size(0)


def local_bytes(program: Program, name: str, callers: frozenset[str] = frozenset()) -> int:
    """The maximum bytes of `.local` variables of a thread: those of a function and of nested calls.

    Recursion is counted once, like in an assembler.
    """
    function = program.function(name)
    callees = function.callees - callers - {name}
    below = [local_bytes(program, callee, callers | {name}) for callee in callees if callee in program.functions]
    return sum(v.size for v in function.local if v.space == "local") + max(below, default=0)


@cache
def registers(kernel: Kernel) -> int:
    """An estimate: the maximum number of live 32-bit values. PTX does not know what the assembler would allocate."""
    needed = max(live_registers(kernel.function).pressure.values(), default=1)
    return min(needed, registers_allowed(kernel.function.directives))


def attribute(found: Function, number: int) -> int:
    """The value of a CUfunction_attribute: what the program set, or else what the kernel needs."""
    value = found.settings.get(number)
    if value is None:
        value = DEFAULTS[number](found) if number in DEFAULTS else 0
    return value


def most_threads(found: Function) -> int:
    directives = found.kernel.function.directives
    return min(math.prod(directives.get("reqntid") or directives.get("maxntid") or (THREADS,)), THREADS)


def required_cluster(found: Function, axis: int) -> int:
    """The extent in `.reqnctapercluster`; 0 without that directive."""
    required = found.kernel.function.directives.get("reqnctapercluster")
    return (*required, 1, 1)[axis] if required is not None else 0


DEFAULTS: dict[int, Callable[[Function], int]] = {
    MAX_THREADS: most_threads,
    SHARED: lambda found: static_shared(found.kernel),
    CONST: lambda found: found.kernel.module.image.const.size,
    LOCAL: lambda found: local_bytes(found.kernel.module.program, found.kernel.name),
    REGISTERS: lambda found: registers(found.kernel),
    # CUB selects its kernels by it
    PTX_VERSION: lambda found: stated_capability(found.kernel.module.program.file.text) or driver().capability,
    BINARY_VERSION: lambda found: driver().capability,
    MAX_DYNAMIC: lambda found: max(attributes(driver().capability)[WITHOUT_OPT_IN] - static_shared(found.kernel), 0),
    CARVEOUT: lambda found: -1,
    CLUSTER_REQUIRED: lambda found: int("reqnctapercluster" in found.kernel.function.directives),
    CLUSTER_X: lambda found: required_cluster(found, 0),
    CLUSTER_Y: lambda found: required_cluster(found, 1),
    CLUSTER_Z: lambda found: required_cluster(found, 2),
}
"""Attributes that are not 0 at first."""


def cluster_of(found: Function) -> Triple:
    """The cluster shape that the kernel or a setting of it requires; one block if there is none."""
    x, y, z = (attribute(found, number) or 1 for number in (CLUSTER_X, CLUSTER_Y, CLUSTER_Z))
    return x, y, z


def largest_cluster(found: Function) -> int:
    """The maximum blocks of a cluster: the size that every device with clusters supports, or the largest of any if the
    program allows it."""
    return MOST_BLOCKS if found.settings.get(NON_PORTABLE) else PORTABLE_BLOCKS


@initialized("cuFuncGetAttribute", "cuKernelGetAttribute")
def get_attribute(out: int, number: int, function: Function, *device: int) -> None:
    if not 0 <= number < ATTRIBUTES:
        raise invalid(f"kernels have no attribute {number}")
    put_int(out, attribute(function, number))


@initialized("cuFuncSetAttribute")
def set_func_attribute(function: Function, number: int, value: int) -> None:
    if number not in SETTABLE:
        raise invalid(f"attribute {number} of a kernel cannot be set")
    most = attributes(driver().capability)[OPT_IN] - static_shared(function.kernel)
    least, limit = (-1, 100) if number == CARVEOUT else (0, most if number == MAX_DYNAMIC else value)
    if not least <= value <= limit:
        raise invalid(f"attribute {number} of `{function.kernel.name}` cannot be {value}")
    function.settings[number] = value


@initialized("cuKernelSetAttribute")
def set_kernel_attribute(number: int, value: int, function: Function, device: int) -> None:
    set_func_attribute(function, number, value)


@initialized("cuFuncSetCacheConfig", "cuFuncSetSharedMemConfig", "cuKernelSetCacheConfig")
def set_config(function: Function, config: int, *device: int) -> None:
    if not 0 <= config <= MOST_CONFIG:
        raise invalid(f"configuration {config} of a cache")


_names: dict[str, ctypes.Array[ctypes.c_char]] = {}


@initialized("cuFuncGetName", "cuKernelGetName")
def get_name(out: int, function: Function) -> None:
    name = function.kernel.name
    if name not in _names:
        _names[name] = ctypes.create_string_buffer(name.encode())
    put(out, ctypes.addressof(_names[name]))


@in_context("cuFuncGetParamInfo", "cuKernelGetParamInfo")
def parameter_info(context: Context, function: Function, index: int, offset: int, size: int) -> None:
    if index >= len(function.parameters):
        raise invalid(f"the kernel has {len(function.parameters)} parameters", usual=True)
    put(offset, function.parameters[index][0])
    put_size(size, function.parameters[index][1])


@initialized("cuFuncGetParamCount", "cuKernelGetParamCount")
def parameter_count(function: Function, out: int) -> None:
    put(out, len(function.parameters))
