"""`openptx.record`: a launch executed here, with the memory that it can access, before and after it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from openptx import __version__
from openptx.device.allocation import Bytes
from openptx.device.memory_view import MemoryView
from openptx.device.textures.handles import Opaque
from openptx.errors import ArgumentError, require_kernel
from openptx.keywords import hints
from openptx.launch_options import OTHER_NAMES, sequence_of
from openptx.memory import find
from openptx.recording.addresses import aligned
from openptx.recording.file import Recording, Region, write_recording
from openptx.runtime import Kernel
from openptx.runtime.arguments import marshal
from openptx.runtime.options import Extent, extent


class ReachedMemory(NamedTuple):
    """Memory that the launch can access: `data` is a view of its bytes, `symbol` the variable's name, "" for others."""

    address: int
    data: Bytes
    symbol: str = ""


@hints(**OTHER_NAMES)
def record(
    kernel: Kernel, grid: Extent, block: Extent, args: Iterable[object] = (), *,
    file: str | os.PathLike[str] | None = None, shared_mem: int = 0, cluster: Extent | None = None,
    engine: str = "auto", timeout: float | None = None,
) -> Recording:  # fmt: skip
    """Launches a kernel, and returns the launch as a Recording; with `file` it is written there (docs/recordings.md).

    `grid`, `block`, `args`, `shared_mem` (bytes), `cluster`, `engine` and `timeout` (seconds) are those of a launch;
    arrays are written as by a launch. The recording has the module's text, the variables of the module, the arrays
    among the arguments, and all other memory that pointers in these refer to.

    Raises the exceptions of a launch, in which case nothing is written; ArgumentError for textures, samplers and
    surfaces, which a recording cannot hold; OSError if the file cannot be written.
    """
    require_kernel(kernel)
    args = sequence_of(args)
    name = f"launch of {kernel.name}" if file is None else path_of(file)
    module = kernel.module
    if module.image.bound or any(isinstance(argument, Opaque) for argument in args):
        raise ArgumentError("textures, samplers and surfaces cannot be recorded")
    x, y = extent("grid", grid), extent("block", block)
    marshalled = marshal(kernel.function, args, module.image.memory)
    values = tuple((p.offset, marshalled.buffer[p.offset : p.offset + p.size].tobytes()) for p in kernel.parameters)
    reached = list(memory_of(kernel, marshalled.buffer))
    before = [memory.data.copy() for memory in reached]
    options: dict[str, Any] = {"shared_mem": shared_mem, "cluster": cluster, "engine": engine, "timeout": timeout}
    kernel(grid, block, args, **options)
    regions = (
        Region(memory.address, old, memory.data.copy(), symbol=memory.symbol)
        for memory, old in zip(reached, before, strict=True)
    )
    shape = extent("cluster", cluster) if cluster is not None else ()
    found = Recording(
        name, kernel.name, x, y, int(shared_mem), shape, values, tuple(regions), f"OpenPTX {__version__}",
        module.program.target, ptx=module.program.file,
    )  # fmt: skip
    if file is not None:
        write_recording(found, file)
    return found


def path_of(file: object) -> str:
    """The path of the file to be written. Raises ArgumentError for what is none, before anything is launched."""
    if not isinstance(file, (str, os.PathLike)):
        raise ArgumentError(f"a recording is written to a path, not to {type(file).__name__}")
    return os.fspath(file)


def memory_of(kernel: Kernel, parameters: Bytes) -> Iterator[ReachedMemory]:
    """The module's variables, and the memory that pointers in parameters, in variables and in that memory refer to."""
    module = kernel.module
    waiting = [aligned(0, parameters)]
    for name, variable in module.program.variables.items():
        if variable.space in ("global", "const") and variable.linkage != "extern" and variable.size:
            data = module.get_global(name)
            yield ReachedMemory(module.image.address(name, generic=True), data, name)
            waiting.append(aligned(0, data))
    own = {allocation.base for allocation in module.image.allocations.values()}
    view = module.image.memory.map()
    while waiting:
        for address in np.unique(waiting.pop()).tolist():
            found = allocation_at(address, view)
            if found is not None and found.address not in own:
                own.add(found.address)
                yield found
                waiting.append(aligned(found.address, found.data))


def allocation_at(address: int, view: MemoryView) -> ReachedMemory | None:
    """The allocation that contains an address; None if there is none, or if it is in the kernels' `malloc` heap."""
    block = find(address)
    if block is not None:
        return ReachedMemory(block.address, block.data)
    slot = address >> view.shift
    row = view.snapshot.rows[slot] if slot < len(view.snapshot.rows) else None
    if row is None or not row.base <= address < row.base + row.size:
        return None
    if view.heap is not None and row.base == view.heap.allocation.base:
        return None
    return ReachedMemory(row.base, row.bytes())
