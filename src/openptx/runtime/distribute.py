"""Distributed launches: an executor runs ranges of independent blocks in other processes, and their writes are merged.

Each range runs on copies of the arguments. Its changes are returned byte by byte, and nothing is written to the user's
arrays before all ranges have succeeded: results do not depend on timing, and a fault leaves no trace.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, cast
from uuid import uuid4

import numpy as np

from openptx.array_types import Array
from openptx.call_graph import reachable_functions
from openptx.device.allocation import Bytes
from openptx.device.arrays import array_of, as_array
from openptx.device.nested_launches import LAUNCH
from openptx.device.textures.handles import Opaque
from openptx.errors import ArgumentError, Fault, require_choice, require_kernel
from openptx.keywords import hints
from openptx.launch_options import OTHER_NAMES, require_count, require_options, sequence_of
from openptx.program import Program
from openptx.progress import reported_elsewhere
from openptx.runtime.changes import Change, MergedChanges, change
from openptx.runtime.lost_workers import run_all, workers_of
from openptx.runtime.module import Kernel, LoadedModule, load
from openptx.runtime.options import Extent, extent
from openptx.runtime.tensor_map import TensorMap
from openptx.runtime.waiting_caller import Caller, Watch, waiting
from openptx.source import File

Range = tuple[int, int]
"""Linear block indices: the first, and one past the last."""

ELSEWHERE = frozenset(("malloc", "free", LAUNCH))
"""Functions whose results are not valid in another process, or which have to know the whole grid."""


@dataclass(frozen=True, slots=True)
class SharedArray:
    """An argument that is an array: the index of its copy among the job's buffers."""

    number: int


@dataclass(frozen=True, slots=True)
class Job:
    """Everything a worker needs. `buffers` are the arrays among the arguments, `variables` the bytes of the
    module's."""

    file: File
    target: str  # this and the next two as in `openptx.load`
    profile: str
    contract: str
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    args: tuple[object, ...]
    buffers: tuple[Array, ...]
    read_only: frozenset[int]  # indices of buffers; an array that was pickled can be written
    variables: Mapping[str, Bytes]
    caller: Caller
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    name: str = field(default_factory=lambda: uuid4().hex)


_interrupted: list[str] = []
"""The name of the job that was interrupted on this worker. Its other ranges are not started: a `ProcessPoolExecutor`
has passed some of them on to its workers already, which `Future.cancel` cannot withdraw."""

Changes = dict[int | str, Change]

SMALL, PIECES = 16 << 20, 8
"""A grid whose arrays have at most SMALL bytes together is run in PIECES ranges per worker, because some blocks may
take longer than others. Larger ones are not: each range copies the arrays, which takes 5 ms a MiB."""


@hints(**OTHER_NAMES)
def distribute(
    kernel: Kernel, executor: Executor, grid: Extent, block: Extent, args: Sequence[object] = (), *,
    chunks: int | None = None, shared_mem: int = 0, engine: str = "auto", timeout: float | None = None,
) -> None:  # fmt: skip
    """Launches a kernel on several processes or machines: `executor` runs ranges of the grid's blocks.

        with ProcessPoolExecutor() as pool:
            openptx.distribute(kernel, pool, 4096, 256, (n, a, x, y))
        openptx.distribute(kernel, dask.distributed.Client(...).get_executor(), 4096, 256, (n, a, x, y), chunks=64)

    `grid`, `block`, `args`, `shared_mem` (bytes), `engine` and `timeout` (seconds) are those of a launch of `kernel`.
    `chunks` is the number of ranges; by default, one for each worker of a pool of Python's, each thread of a dask
    cluster's workers, or each processor of this computer, and eight if the arrays have 16 MiB together or less.

    Blocks must be independent: none may wait for another or read what another writes, and different ranges may write
    a byte only with the same value. Kernels with atomics outside of `.shared` memory, kernels that call `malloc`,
    clusters, textures, surfaces and tensor maps are refused. Arrays are copied to every worker, which pays off for
    kernels that compute much. Pointers in arrays are not valid in a worker, and kernels print to the worker's output.

    Blocks whose worker is lost run again, once: if a `ProcessPoolExecutor` is broken, in a new one with its context
    and initializer, otherwise by the same executor. Kernels that print are not run again.

    Raises ArgumentError for what is refused, WorkerLost if workers are lost again, and whatever a launch raises. Of
    several faults the one of the lowest range is raised. After an error the arrays are as before the call, and ranges
    that still run in this computer's processes end within half a second.
    """
    require_kernel(kernel)
    if not hasattr(executor, "submit"):
        raise ArgumentError(f"the executor is a `concurrent.futures.Executor`, not {type(executor).__name__}")
    require_options(shared_mem, None, timeout, None, None)
    require_choice("engine", engine, ("auto", "interp", "native"))
    if chunks is not None:
        require_count("chunks", chunks)
    args = sequence_of(args)
    grid, block = extent("grid", grid), extent("block", block)
    refuse(kernel)
    arrays, arguments = separated(args)
    if chunks is None:
        chunks = pieces(executor, sum(array.nbytes for array in arrays))
    blocks = grid[0] * grid[1] * grid[2]
    chunks = min(blocks, int(chunks))
    options = {"shared_mem": shared_mem, "engine": engine, "timeout": timeout, "workers": 1}
    image = kernel.module.image
    program, content = kernel.module.program, contents(kernel.module)
    load_options = program.target, program.profile, program.contract
    read_only = frozenset(number for number, array in enumerate(arrays) if not array.flags.writeable)
    ranges = [(blocks * i // chunks, blocks * (i + 1) // chunks) for i in range(chunks)]
    with waiting() as caller:
        job = Job(
            program.file, *load_options, kernel.name, grid, block, arguments, tuple(arrays), read_only, content, caller,
            options,
        )  # fmt: skip
        try:
            parts = run_all(executor, partial(run, job), ranges, program, kernel.name)
        except Fault as fault:
            raise fault from None
    merged = merge(kernel, args, arrays, {each: parts[each] for each in ranges})
    for number, changed in merged.items():
        changed.write(bytes_of(arrays[number]) if isinstance(number, int) else image.bytes(number))


def pieces(executor: Executor, size: int) -> int:
    """The number of ranges where the caller gives none; `size` is that of all arrays, in bytes."""
    workers = workers_of(executor)
    return workers * PIECES if size <= SMALL else workers


def refuse(kernel: Kernel) -> None:
    """Raises ArgumentError for kernels whose blocks may depend on each other."""
    program = kernel.module.program
    if kernel.module.image.bound:
        raise ArgumentError("textures, samplers and surfaces cannot be sent to other processes")
    if kernel.function.directives.get("reqnctapercluster"):
        raise ArgumentError(f"kernel `{kernel.name}` runs in clusters, whose blocks cannot run in separate processes")
    for text in shared_effects(program, kernel.name):
        why = f"may depend on each other, and cannot run in separate processes: `{text}`"
        raise ArgumentError(f"blocks of kernel `{kernel.name}` {why}")


def shared_effects(program: Program, kernel: str) -> list[str]:
    """The texts of the instructions by which blocks may affect each other, in a kernel and all functions it may call.

    Each range has its own memory, so that sums of all blocks would be lost.
    """
    found: list[str] = []
    for function in reachable_functions(program, kernel):
        for op in function.code:
            space = str(op.m.values.get("space") or op.m.dst)
            if op.form.instruction.reduces and not space.startswith("shared"):
                found.append(op.text)
        found += [f"call {name}" for name in sorted(function.callees & ELSEWHERE)]
    return found


def separated(args: Sequence[object]) -> tuple[list[Array], tuple[object, ...]]:
    """The arrays among the arguments, each once, and the arguments with indices in their places. Raises ArgumentError
    for textures, tensor maps and arrays that overlap."""
    arrays: list[Array] = []
    arguments: list[object] = []
    for i, argument in enumerate(args):
        if isinstance(argument, Opaque | TensorMap):
            raise ArgumentError(f"argument {i}: {argument!r} cannot be sent to other processes")
        if not hasattr(argument, "__dlpack__") or np.ndim(cast(Any, argument)) == 0:
            arguments.append(argument)
            continue
        array = array_of(f"argument {i}", argument)
        for number, other in enumerate(arrays):
            if alike(array, other):
                arguments.append(SharedArray(number))
                break
            if np.may_share_memory(array, other):
                raise ArgumentError(f"argument {i} overlaps another array: its copies would not")
        else:
            arguments.append(SharedArray(len(arrays)))
            arrays.append(array)
    return arrays, tuple(arguments)


def alike(a: Array, b: Array) -> bool:
    return a.ctypes.data == b.ctypes.data and a.nbytes == b.nbytes and a.flags.writeable == b.flags.writeable


def bytes_of(array: Array) -> Bytes:
    """A contiguous array as its bytes, in place."""
    return array.reshape(-1, order="A").view(np.uint8)


def contents(module: LoadedModule) -> dict[str, Bytes]:
    """The bytes of the module's variables at present."""
    variables = module.program.variables.values()
    names = [v.name for v in variables if v.space in ("global", "const") and v.linkage != "extern"]
    return {name: module.get_global(name).copy() for name in names}


@lru_cache(16)
def loaded(
    name: str, text: str, target: str, profile: str, contract: str, thread: int
) -> tuple[LoadedModule, Mapping[str, Bytes]]:
    """The module of a text, once in each thread of a worker, and its variables' initial values."""
    module = load(File(name, text), target=target, profile=profile, contract=contract)
    return module, contents(module)


def restored(module: LoadedModule, first: Mapping[str, Bytes], wanted: Mapping[str, Bytes]) -> None:
    """Sets variables to the values that they have in the launching process; addresses in them stay this process's."""
    for name, data in wanted.items():
        target = module.get_global(name)
        target[:] = data
        for at in module.program.variables[name].relocations:
            target[at.offset : at.offset + at.size] = first[name][at.offset : at.offset + at.size]


def run(job: Job, blocks: Range) -> Changes:
    """Runs a range of blocks, on a worker. Returns the bytes that it changed."""
    if job.name in _interrupted:
        raise KeyboardInterrupt
    watch = Watch(job.caller)
    try:
        watch()
        with reported_elsewhere(watch):
            return changes_of(job, blocks)
    except KeyboardInterrupt:
        _interrupted[:] = [job.name]
        raise


def changes_of(job: Job, blocks: Range) -> Changes:
    """Runs the range on copies of the buffers. Returns what it changed in them, by index, and in variables, by name."""
    module, first = loaded(job.file.name, job.file.text, job.target, job.profile, job.contract, threading.get_ident())
    buffers = [own(array, number in job.read_only) for number, array in enumerate(job.buffers)]
    args = [buffers[a.number] if isinstance(a, SharedArray) else a for a in job.args]
    restored(module, first, job.variables)
    before = contents(module)
    options: dict[str, Any] = dict(job.options)
    module[job.kernel](job.grid, job.block, args, blocks=blocks, **options)
    found: dict[int | str, Change | None] = {}
    for name, data in before.items():
        found[name] = change(data, module.get_global(name))
    for number, (old, new) in enumerate(zip(job.buffers, buffers, strict=True)):
        if number not in job.read_only:
            found[number] = change(bytes_of(old), bytes_of(new))
    return {buffer: delta for buffer, delta in found.items() if delta is not None}


def own(array: Array, read_only: bool) -> Array:
    """An array that this range may write; a read-only one is not copied."""
    if not read_only:
        return array.copy(order="K")
    array.flags.writeable = False
    return array


def merge(
    kernel: Kernel, args: Sequence[object], arrays: Sequence[Array], parts: Mapping[Range, Changes]
) -> dict[int | str, MergedChanges]:  # fmt: skip
    """Merges the changes. Raises ArgumentError if two ranges wrote different values to one byte."""
    merged: dict[int | str, MergedChanges] = {}
    for blocks, changes in parts.items():
        for number, delta in changes.items():
            if number not in merged:
                whole = isinstance(number, int)
                merged[number] = MergedChanges(
                    arrays[number].nbytes if whole else kernel.module.image.bytes(number).size
                )
            at = merged[number].add(delta)
            if at is not None:
                raise ArgumentError(
                    f"blocks {blocks[0]} to {blocks[1] - 1} and blocks before them write different values to byte {at}"
                    f" of {called(kernel, args, arrays, number)}: they are not independent"
                )
    return merged


def called(kernel: Kernel, args: Sequence[object], arrays: Sequence[Array], number: int | str) -> str:
    """What messages call a buffer: the variable or the argument."""
    if isinstance(number, str):
        return f"variable `{number}`"
    i = next(i for i, a in enumerate(args) if isinstance(a, np.ndarray) and alike(as_array(a), arrays[number]))
    return f"argument {i} `{kernel.function.parameters[i].name}`"
