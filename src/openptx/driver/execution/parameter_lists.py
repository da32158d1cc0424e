"""Launches of the oldest interface: a block's shape and parameters are a function's state (deprecated in CUDA 4)."""

from __future__ import annotations

import struct
import weakref

from openptx.driver.calls import in_context, invalid, read
from openptx.driver.devices.contexts import Context
from openptx.driver.execution import launches
from openptx.driver.execution.launches import Shape
from openptx.driver.modules.module import Function
from openptx.driver.objects import driver
from openptx.driver.streams.stream import submit

MOST = 4096
"""The maximum size of parameters in bytes."""


class Settings:
    """The state for the next launch of a function; `size` is the program's size of its parameters in bytes."""

    def __init__(self) -> None:
        self.block, self.shared, self.size = (1, 1, 1), 0, 0
        self.parameters = bytearray(MOST)


_settings = weakref.WeakKeyDictionary[Function, Settings]()


def settings(handle: int) -> Settings:
    return _settings.setdefault(driver().find(handle, Function), Settings())


def store(handle: int, offset: int, data: bytes) -> None:
    found = settings(handle)
    if offset < 0 or offset + len(data) > MOST:
        raise invalid(f"{len(data)} bytes of parameters at {offset}; there are {MOST}")
    found.parameters[offset : offset + len(data)] = data


@in_context("cuFuncSetBlockShape")
def set_block(context: Context, handle: int, x: int, y: int, z: int) -> None:
    found = settings(handle)
    if min(x, y, z) < 1:
        raise invalid(f"a block of {x} x {y} x {z}")
    found.block = x, y, z


@in_context("cuFuncSetSharedSize")
def set_shared(context: Context, handle: int, size: int) -> None:
    settings(handle).shared = size


@in_context("cuParamSetSize")
def set_size(context: Context, handle: int, size: int) -> None:
    found = settings(handle)
    if size > MOST:
        raise invalid(f"{size} bytes of parameters; there are {MOST}")
    found.size = size


@in_context("cuParamSeti")
def set_integer(context: Context, handle: int, offset: int, value: int) -> None:
    store(handle, offset, struct.pack("<I", value))


@in_context("cuParamSetf")
def set_float(context: Context, handle: int, offset: int, value: float) -> None:
    store(handle, offset, struct.pack("<f", value))


@in_context("cuParamSetv")
def set_bytes(context: Context, handle: int, offset: int, pointer: int, size: int) -> None:
    if size > MOST:
        raise invalid(f"{size} bytes of a parameter; there are {MOST}")
    store(handle, offset, read(pointer, size))


def launch(context: Context, handle: int, width: int, height: int, stream: int) -> None:
    found, function = settings(handle), driver().find(handle, Function)
    if min(width, height) < 1:
        raise invalid(f"a grid of {width} x {height}")
    if found.size < function.size:
        why = f"{found.size} bytes of parameters, and it takes {function.size}"
        raise invalid(f"kernel `{function.kernel.name}` is launched with {why}")
    shape = Shape((width, height, 1), found.block, found.shared)
    launches.require_possible(function, shape)
    submit(
        context, stream, "kernel", launches.run, context, function, shape, bytearray(found.parameters[: function.size])
    )


@in_context("cuLaunch")
def launch_block(context: Context, handle: int) -> None:
    launch(context, handle, 1, 1, 0)


@in_context("cuLaunchGrid")
def launch_grid(context: Context, handle: int, width: int, height: int) -> None:
    launch(context, handle, width, height, 0)


@in_context("cuLaunchGridAsync")
def launch_grid_async(context: Context, handle: int, width: int, height: int, stream: int) -> None:
    launch(context, handle, width, height, stream)
