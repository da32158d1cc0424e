"""Functions that the system provides to kernels: `vprintf`, `malloc`, `free`, `__assertfail`, and launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from openptx.device.nested_launches import LAUNCH, PARAMETERS, NestedLaunch, NestedLaunches
from openptx.device.printf import Format, read_format
from openptx.engines.interp import lane_sets
from openptx.engines.interp.machine import Threads
from openptx.engines.interp.memory.spaces import Violation
from openptx.errors import Unsupported
from openptx.locks import check_cancelled
from openptx.numerics import Bits

External = Callable[..., Any]


def lanes_of(x: Threads, *values: Bits) -> list[tuple[int, ...]]:
    """For every executing lane, its index and its values."""
    x.uses("is passed to a system function", *values)
    places = lane_sets.positions(x.executing, x.n)
    columns = [np.broadcast_to(v.v, places.size).tolist() for v in values]
    return list(zip(places.tolist(), *columns, strict=True))


def vprintf(x: Threads, template: Bits, arguments: Bits) -> Bits:
    """Prints for each lane in turn; returns the number of printed arguments."""
    counts = list[int]()
    before = x.executing
    formats: dict[int, Format] = {}
    try:
        for lane, text, values in lanes_of(x, template, arguments):
            x.executing = slice(lane, lane + 1)
            known = formats.get(text)
            if known is None:
                known = formats[text] = read_format(string(x, text))
            words = [word(x, values, offset, width) for offset, width in known.layout]
            x.output(known.render(words, lambda at: string(x, at)))
            counts.append(len(known.layout))
    finally:
        x.executing = before
    return Bits(x, 32, np.array(counts, np.uint32))


def word(x: Threads, base: int, offset: int, width: int) -> int:
    check_cancelled()
    (found,) = x.load("generic", x.const(base + offset, 64), 8 * width)
    x.uses("is passed to a system function", found)
    return int(found.v[0])


def string(x: Threads, at: int) -> str:
    """The zero-terminated text at a generic address."""
    found = bytearray()
    while byte := word(x, at + len(found), 0, 1):
        found.append(byte)
    return found.decode("utf-8", "replace")


def assertfail(x: Threads, message: Bits, file: Bits, line: Bits, function: Bits, char_size: Bits) -> None:
    lane, *words = lanes_of(x, message, file, line, function)[0]
    x.executing = slice(lane, lane + 1)
    said, where, number, name = (string(x, w) if i != 2 and w else w for i, w in enumerate(words))
    raise Violation("assertion", f"{where}:{number}: {name}: assertion `{said}` failed", lane)


def malloc(x: Threads, size: Bits) -> Bits:
    found = [x.take(lane, n) for lane, n in lanes_of(x, size)]
    return Bits(x, 64, np.array(found, np.uint64))


def free(x: Threads, address: Bits) -> None:
    for lane, at in lanes_of(x, address):
        if at and not x.give_back(lane, at):
            what = f"`free` of 0x{at:x}, which `malloc` did not return, or which was freed before"
            raise Violation("undefined-behavior", what, lane, at, "generic")


def nested(x: Threads) -> NestedLaunches:
    """The launches of the grid so far."""
    if x.memory.nested is None:
        raise Unsupported("a kernel that launches kernels, under a tool other than the sanitizer")
    return x.memory.nested


def nested_parameters(x: Threads, function: Bits, *shape: Bits) -> Bits:
    """Where each lane writes the parameters of a kernel; null if the heap is full."""
    found = list[int]()
    for lane, at, *extents, shared in lanes_of(x, function, *shape):
        name = x.image.names.get(at, "")
        if name not in x.image.program.kernels:
            what = f"a launch of 0x{at:x}, which is no kernel of the module"
            raise Violation("undefined-behavior", what, lane, at, "generic")
        size = x.image.program.function(name).parameter_size
        address = x.take(lane, max(size, 1))
        if address:
            gx, gy, gz, bx, by, bz = extents
            nested(x).prepared[address] = NestedLaunch(name, (gx, gy, gz), (bx, by, bz), shared)
        found.append(address)
    return Bits(x, 64, np.array(found, np.uint64))


def nested_launch(x: Threads, parameters: Bits, stream: Bits) -> Bits:
    """Launches with the parameters that lie there. Gives 0: a launch that is not possible ends the program later."""
    made = nested(x)
    lanes = lanes_of(x, parameters, stream)
    for lane, address, order in lanes:
        launch = made.prepared.get(address)
        if launch is None:
            what = f"a launch with parameters at 0x{address:x}, where none were prepared"
            raise Violation("undefined-behavior", what, lane, address, "generic")
        size = x.image.program.function(launch.kernel).parameter_size
        made.make(address, x.heap.content(address, size).tobytes(), order)
        x.give_back(lane, address)
    return Bits(x, 32, np.zeros(len(lanes), np.uint32))


EXTERNALS: dict[str, External] = {
    "vprintf": vprintf,
    "__assertfail": assertfail,
    "malloc": malloc,
    "free": free,
    PARAMETERS: nested_parameters,
    LAUNCH: nested_launch,
}
LASTING = frozenset({"vprintf", "malloc", "free", PARAMETERS, LAUNCH})
"""Functions whose effects a launch cannot undo; the others end it."""
