"""Launches: parameters from the caller's pointers, the grid, attributes, output; and the results of faults and
findings."""

from __future__ import annotations

import ctypes
import io
import math
import os
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import Any, NamedTuple

from openptx.diagnostics.render import render
from openptx.driver.calls import LOG, Failure, counted, get, in_context, invalid, read, require_flags
from openptx.driver.devices.attributes import attributes
from openptx.driver.devices.contexts import AT_END, Context
from openptx.driver.execution.functions import (
    MAX_DYNAMIC,
    OPT_IN,
    attribute,
    cluster_of,
    largest_cluster,
    static_shared,
)
from openptx.driver.execution.occupancy import most_together
from openptx.driver.memory.allocations import SANITIZE
from openptx.driver.modules.module import Function
from openptx.driver.objects import driver
from openptx.driver.results import Result
from openptx.driver.streams.events import Event, record
from openptx.driver.streams.objects import stream_of
from openptx.driver.streams.stream import submit
from openptx.driver.tensor_maps.host_encoded import put_our_maps
from openptx.errors import ArgumentError, Fault, Triple, Unsupported
from openptx.sanitize.checks.lost_memory import tell_unfreed
from openptx.sanitize.error import SanitizerError

_warned = set[str]()


def report(context: Context, found: SanitizerError) -> Failure | None:
    """The failure for the findings of a launch, which has run to its end. None if all are warnings, which are
    logged."""
    text = render([*found.findings], "full", color=False)
    if any(finding.severity == "error" for finding in found.findings):
        return context.fail(Result.LAUNCH_FAILED, text)
    if text not in _warned:
        _warned.add(text)
        LOG.warning("%s", text.rstrip())
    return None


AT_END.append(lambda context: tell_unfreed())


class Output(io.TextIOBase):
    """The C library's `stdout`; in a Python program, its earlier output comes first."""

    def __init__(self) -> None:
        self._c = ctypes.CDLL(None)
        self._before = sys.stdout

    def write(self, text: str, /) -> int:
        self._before.flush()
        data = text.encode("utf-8", "surrogateescape")
        stdout = ctypes.c_void_p.in_dll(self._c, "stdout")
        self._c.fwrite(data, ctypes.c_size_t(1), ctypes.c_size_t(len(data)), stdout)
        return len(text)

    def flush(self) -> None:
        self._c.fflush(ctypes.c_void_p.in_dll(self._c, "stdout"))


COOPERATIVE, CLUSTER = 2, 4
EVENTS = 7, 12
"""Values of CUlaunchAttributeID: the last two record an event. The others concern speed, and have no effect here."""
CONFIG = struct.Struct("<7I4xQQI4x")
MOST_ATTRIBUTES = 64
ATTRIBUTE = 72
"""Bytes of a CUlaunchAttribute: its number, and 64 bytes from the eighth on."""

RESULTS = {
    "PTX9001": Result.ILLEGAL_ADDRESS, "PTX9002": Result.MISALIGNED_ADDRESS, "PTX9003": Result.ILLEGAL_ADDRESS,
    "PTX9004": Result.LAUNCH_TIMEOUT, "PTX9005": Result.LAUNCH_TIMEOUT, "PTX9006": Result.LAUNCH_TIMEOUT,
    "PTX9008": Result.ASSERT, "PTX9009": Result.INVALID_PC, "PTX9011": Result.HARDWARE_STACK_ERROR,
}  # fmt: skip
"""The result for a fault, by its code; LAUNCH_FAILED for the others. A GPU waits forever if all threads wait."""


class Shape(NamedTuple):
    """The grid, the block and the cluster of a launch, x first; `shared` is in bytes a block."""

    grid: Triple
    block: Triple
    shared: int
    cluster: Triple | None = None
    cooperative: bool = False


def require_cluster(function: Function, grid: Triple, cluster: Triple) -> None:
    """Fails unless clusters of this size divide the grid and fit the device."""
    most = largest_cluster(function)
    if not all(cluster):
        why = f"clusters of {cluster}, which have no blocks"
    elif any(g % c for g, c in zip(grid, cluster, strict=True)):
        why = f"a grid of {grid}, which clusters of {cluster} do not divide"
    elif math.prod(cluster) > most:
        why = f"clusters of {cluster}, and they have {most} blocks at most"
    else:
        return
    raise Failure(Result.INVALID_CLUSTER_SIZE, f"kernel `{function.kernel.name}` is launched with {why}")


def require_possible(function: Function, shape: Shape) -> None:
    """Fails for launches that the device does not support."""
    static, dynamic = static_shared(function.kernel), shape.shared
    most = attributes(driver().capability)[OPT_IN]
    allowed = max(attribute(function, MAX_DYNAMIC), 0)
    if dynamic > allowed or static + dynamic > most:
        why = f"{dynamic} bytes of dynamic shared memory, and {min(allowed, most - static)} are allowed"
        raise invalid(f"kernel `{function.kernel.name}` is launched with {why}")
    if shape.cluster is not None:
        require_cluster(function, shape.grid, shape.cluster)
    blocks, threads = math.prod(shape.grid), math.prod(shape.block)
    if shape.cooperative and threads and blocks > (together := most_together(function, threads, dynamic)):
        why = f"{blocks} blocks that wait for each other, and the device holds {together} at a time"
        raise Failure(Result.COOPERATIVE_LAUNCH_TOO_LARGE, f"kernel `{function.kernel.name}` is launched with {why}")


def run(context: Context, function: Function, shape: Shape, parameters: bytearray) -> None:
    """Launches, and waits for the end. A fault ends the context. Fails with the result that CUDA has for it."""
    printing: AbstractContextManager[Any] = redirect_stdout(Output()) if function.prints else nullcontext()
    options = {} if shape.cluster is None else {"cluster": shape.cluster}
    try:
        with printing:
            function.kernel.launch_packed(
                shape.grid, shape.block, parameters, shared_mem=shape.shared, **options, **_options()
            )
    except Fault as fault:
        raise context.fail(RESULTS.get(fault.code, Result.LAUNCH_FAILED), str(fault)) from None
    except SanitizerError as error:
        if (failure := report(context, error)) is not None:
            raise failure from None
    except Unsupported as error:
        raise context.fail(Result.LAUNCH_FAILED, str(error)) from None
    except ArgumentError as error:
        raise invalid(f"kernel `{function.kernel.name}`: {error}") from None


def _options() -> dict[str, Any]:
    """The options of every launch, from the environment variables of `openptx exec`."""
    tools = os.environ.get(SANITIZE)
    return {"sanitize": tools} if tools else {}


def launch(context: Context, handle: int, shape: Shape, stream: int, pointers: int, extra: int) -> None:
    """One launch, executed or added to a graph."""
    submit(context, stream, "kernel", run, context, *prepared(driver().find(handle, Function), shape, pointers, extra))


def prepared(function: Function, shape: Shape, pointers: int, extra: int) -> tuple[Function, Shape, bytearray]:
    """The arguments of `run`, with a copy of the parameters. Fails for launches that the device does not support."""
    if shape.cluster is None and (required := cluster_of(function)) != (1, 1, 1):
        shape = shape._replace(cluster=required)
    require_possible(function, shape)
    parameters = packed(function.kernel.name, function.size, function.parameters, pointers, extra)
    put_our_maps(parameters, function.parameters)
    return function, shape, parameters


@in_context("cuLaunchKernel")
def launch_kernel(
    context: Context, handle: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int, stream: int,
    pointers: int, extra: int,
) -> None:  # fmt: skip
    launch(context, handle, Shape((gx, gy, gz), (bx, by, bz), shared), stream, pointers, extra)


@in_context("cuLaunchCooperativeKernel")
def launch_cooperative(
    context: Context, handle: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int, stream: int,
    pointers: int,
) -> None:  # fmt: skip
    launch(context, handle, Shape((gx, gy, gz), (bx, by, bz), shared, None, True), stream, pointers, 0)


def configuration(config: int) -> tuple[Shape, int]:
    """The content of a CUlaunchConfig, and its stream. Fails if its address is null."""
    gx, gy, gz, bx, by, bz, shared, stream, listed, count = CONFIG.unpack(read(config, CONFIG.size))
    cluster, cooperative = None, False
    for number, where in launch_attributes(listed, count):
        if number == CLUSTER:
            x, y, z = (get(where + 4 * axis, ctypes.c_uint32) for axis in range(3))
            cluster = (x, y, z)
        elif number == COOPERATIVE:
            cooperative = get(where, ctypes.c_int) != 0
    if cluster == (0, 0, 0):
        cluster = None
    return Shape((gx, gy, gz), (bx, by, bz), shared, cluster, cooperative), stream


def launch_attributes(listed: int, count: int) -> Iterator[tuple[int, int]]:
    """The numbers of attributes, and where their values are."""
    for i in counted(count, "attributes of a launch", MOST_ATTRIBUTES):
        where = listed + ATTRIBUTE * i
        yield get(where, ctypes.c_int), where + 8


def events_of(config: int) -> list[Event]:
    """The events that a launch records. A GPU does that when all blocks have begun, or trigger it."""
    *_, listed, count = CONFIG.unpack(read(config, CONFIG.size))
    found = [where for number, where in launch_attributes(listed, count) if number in EVENTS]
    for where in found:
        require_flags(get(where + 8, ctypes.c_int), 0, "an event of a launch")
    return [driver().find(get(where), Event) for where in found]


@in_context("cuLaunchKernelEx")
def launch_ex(context: Context, config: int, handle: int, pointers: int, extra: int) -> None:
    driver().find(handle, Function)
    shape, stream = configuration(config)
    events = events_of(config)
    launch(context, handle, shape, stream, pointers, extra)
    for event in events:
        record(context, event, stream_of(context, stream))


END, POINTER, SIZE = 0, 1, 2
"""CU_LAUNCH_PARAM_*: the meaning of the next word in `extra`."""


def packed(name: str, size: int, places: Sequence[tuple[int, int]], pointers: int, extra: int) -> bytearray:
    """The bytes of all parameters: from a pointer for each, or all together by `extra`. `places` are (offset, bytes).

    Fails if some are missing; `name` is the kernel's.
    """
    if pointers and extra:
        raise invalid(f"the parameters of kernel `{name}` are given twice")
    buffer = bytearray(size)
    if not size:
        return buffer
    if pointers:
        address = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
        table = (ctypes.c_uint64 * len(places)).from_address(pointers)
        for pointer, (offset, count) in zip(table, places, strict=True):
            if not pointer:
                raise invalid(f"a parameter of kernel `{name}` is null")
            ctypes.memmove(address + offset, pointer, count)
        return buffer
    if not extra:
        raise invalid(f"kernel `{name}` needs parameters, and there are none")
    words = dict[int, int]()
    while (number := get(extra)) != END:
        words[number] = get(extra + 8)
        extra += 16
    provided = get(words.get(SIZE, 0))
    if provided < size:
        raise invalid(f"kernel `{name}` takes {size} bytes of parameters, not {provided}")
    return bytearray(ctypes.string_at(words.get(POINTER, 0), size))
