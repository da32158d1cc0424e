"""tinygrad's tests without a GPU: the function by which its mock of CUDA runs kernels, gpuocelot's `ptx_run`.

In tinygrad's test/mockgpu/cuda/cuda.py, instead of `from test.mockgpu.helpers import ptx_run`:

    from functools import partial
    import openptx.tinygrad
    ptx_run = partial(openptx.tinygrad.ptx_run, memory=lambda: cuda_state.memory)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from openptx import memory as device_memory
from openptx.errors import ArgumentError
from openptx.runtime import LoadedModule, load

Memory = Mapping[int, memoryview]


def ptx_run(
    source: bytes | ctypes.c_char_p, count: int, arguments: Sequence[int | None], block_x: int, block_y: int,
    block_z: int, grid_x: int, grid_y: int, grid_z: int, shared: int = 0, *,
    memory: Memory | Callable[[], Memory] | None = None, engine: str = "auto", timeout: float | None = None,
) -> None:  # fmt: skip
    """Runs the only kernel of a PTX text, as gpuocelot's function of that name does, and waits for its end.

    source     the text, as bytes or as a pointer to them with a zero at the end
    arguments  `count` values, one for each parameter; pointers are addresses of the host
    block, grid, shared   in threads, blocks, and bytes of dynamic shared memory
    memory     the host memory that pointers may refer to, or a function that returns it: memoryviews by their address;
               besides it the kernel can access only allocations of `openptx.memory`
    engine, timeout       as for a call of `openptx.Kernel`

    Raises CheckError for errors in the text, Fault for errors of the kernel, ArgumentError for another number of
    arguments and for a text without or with several kernels.
    """
    text = source if isinstance(source, bytes) else source.value or b""
    module = loaded(text)
    if len(module.kernels) != 1:
        raise ArgumentError(f"`ptx_run` takes a text with one kernel, not {len(module.kernels)}")
    kernel = module[module.kernels[0]]
    wanted = kernel.parameters
    if not count == len(wanted) <= len(arguments):
        raise ArgumentError(f"kernel `{kernel.name}` takes {len(wanted)} arguments, not {count}")
    known = memory() if callable(memory) else memory or {}
    data = bytearray(kernel.function.parameter_size)
    for parameter, argument in zip(wanted, arguments, strict=False):
        value = argument or 0
        if parameter.size == 8:
            value = translated(value, known)
        size = parameter.size
        data[parameter.offset : parameter.offset + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    grid, block = (grid_x, grid_y, grid_z), (block_x, block_y, block_z)
    kernel.launch_packed(grid, block, bytes(data), shared_mem=shared, engine=engine, timeout=timeout)


@lru_cache(maxsize=256)
def loaded(text: bytes) -> LoadedModule:
    """The module of a text; a text that is run again keeps the values of its variables."""
    return load(text)


def translated(pointer: int, known: Memory) -> int:
    """The device address of a host address; other numbers are unchanged."""
    base = pointer if pointer in known else next((at for at in known if at < pointer < at + len(known[at])), None)
    return pointer if base is None else address_of(known[base]) + pointer - base


def address_of(view: Any) -> int:
    """The address of a memory view, the same one each time."""
    return device_memory.address(view)
