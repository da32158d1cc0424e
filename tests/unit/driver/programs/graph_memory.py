"""The lifetime of memory that graph nodes allocate: accesses before, between and after launches."""

import ctypes
import gc
import struct
from ctypes import byref
from typing import Any

from driver_calls import Address, Handle, Size, Word, allocate, call, context, kernel, launch, load, pointers, words

from openptx.driver.memory.allocations import OWNED
from openptx.memory import blocks

ILLEGAL_ADDRESS, INVALID, UNSUPPORTED = 700, 1, 801
AUTO_FREE, NON_BLOCKING, MOVE, GRAPH = 1, 1, 1, 4
STORE = """
.visible .entry store(.param .u64 at, .param .u32 value) {
    .reg .b64 %a; .reg .b32 %v;
    ld.param.u64 %a, [at];
    ld.param.u32 %v, [value];
    st.global.u32 [%a], %v;
    ret;
}"""


def graph() -> Handle:
    made = Handle()
    call("cuGraphCreate", byref(made), 0)
    return made


def ready(where: Handle, flags: int = 0, result: int = 0) -> Handle:
    made = Handle()
    call("cuGraphInstantiateWithFlags", byref(made), where, ctypes.c_uint64(flags), result=result)
    return made


def before(*nodes: Handle) -> tuple[object, Size]:
    return (Handle * max(len(nodes), 1))(*(node.value for node in nodes)), Size(len(nodes))


def described_allocation(size: int) -> Any:
    """CUDA_MEM_ALLOC_NODE_PARAMS: pinned memory of the device."""
    return ctypes.create_string_buffer(struct.pack("<4i88xQQ", 1, 0, 1, 0, size, 0), 120)


def add_allocation(where: Handle, size: int) -> tuple[Handle, Address]:
    made, described = Handle(), described_allocation(size)
    call("cuGraphAddMemAllocNode", byref(made), where, *before(), described)
    return made, Address(struct.unpack_from("<Q", described, 112)[0])


def add_store(where: Handle, after: Handle, function: Handle, at: Address, value: int) -> Handle:
    made, arguments = Handle(), [at, Word(value)]
    given = pointers(arguments)
    described = struct.pack("<Q7I4xQQQQ", function.value or 0, 1, 1, 1, 1, 1, 1, 0, ctypes.addressof(given), 0, 0, 0)
    call("cuGraphAddKernelNode_v2", byref(made), where, *before(after), described)
    return made


def add_free(where: Handle, after: Handle, at: Address, result: int = 0) -> None:
    call("cuGraphAddMemFreeNode", byref(Handle()), where, *before(after), at, result=result)


def used() -> int:
    found = ctypes.c_uint64()
    call("cuDeviceGetGraphMemAttribute", 0, 0, byref(found))
    return found.value


# Large allocations have slots of their own; small ones share one after the first 1,024, here all of them.
before_here = blocks.OWN_SLOTS
for size in 1 << 16, 64:
    blocks.OWN_SLOTS = 0
    context()
    store = kernel(load(STORE), "store")
    stream = Handle()
    call("cuStreamCreate", byref(stream), NON_BLOCKING)
    base = used()
    built = graph()
    node, place = add_allocation(built, size)
    stored = add_store(built, node, store, place, 7)
    call("cuMemFree_v2", place, result=INVALID)  # nothing is allocated yet
    call("cuMemcpyDtoH_v2", byref(Word()), place, Size(4), result=INVALID)
    call("cuPointerGetAttribute", byref(kind := ctypes.c_int()), 2, place)
    assert kind.value == 2
    executable = ready(built)
    ready(built, result=UNSUPPORTED)  # one at a time
    call("cuGraphClone", byref(Handle()), built, result=UNSUPPORTED)
    call("cuGraphLaunch", executable, None)
    assert words(place, 1) == [7]
    call("cuGraphLaunch", executable, None, result=INVALID)  # it is still there
    call("cuMemFreeAsync", place, None)
    call("cuMemFree_v2", place, result=INVALID)
    call("cuMemcpyDtoH_v2", byref(Word()), place, Size(4), result=INVALID)
    others = [allocate(size) for _ in range(3)]
    assert place.value not in [one.value for one in others]
    call("cuGraphLaunch", executable, None)  # again, at the same address
    assert words(place, 1) == [7]
    assert used() == base + size

    # Another graph frees it; the order of calls decides, whatever waits.
    freeing = graph()
    empty = Handle()
    call("cuGraphAddEmptyNode", byref(empty), freeing, *before())
    add_free(freeing, empty, place)
    add_free(freeing, empty, place, result=INVALID)
    add_free(freeing, empty, others[0], result=INVALID)
    release = ready(freeing)
    flag = Handle()
    call("cuMemHostAlloc", byref(flag), Size(4), 2)
    word = ctypes.c_uint32.from_address(flag.value or 0)
    word.value = 0
    call("cuStreamWaitValue32_v2", stream, Address(flag.value or 0), Word(1), 1)
    call("cuGraphLaunch", release, stream)
    call("cuGraphLaunch", executable, stream)  # in order: it has been freed by then
    call("cuGraphLaunch", executable, stream, result=INVALID)
    assert words(place, 1) == [7]  # still
    word.value = 1
    call("cuStreamSynchronize", stream)
    assert words(place, 1) == [7]
    call("cuGraphLaunch", release, stream)
    call("cuGraphExecDestroy", executable)

    # With the flag the launch frees what the one before has allocated.
    automatic = ready(built, AUTO_FREE)
    for _ in range(3):
        call("cuGraphLaunch", automatic, None)
    call("cuGraphExecDestroy", automatic)
    call("cuGraphDestroy", built)
    call("cuGraphExecDestroy", release)
    call("cuGraphDestroy", freeing)
    assert words(place, 1) == [7]  # the program holds it
    call("cuMemFree_v2", place)
    call("cuMemFree_v2", place, result=INVALID)
    assert used() == base

    # A capture frees what it allocated, and nothing else; a child that is moved has memory.
    target = allocate(4)
    call("cuStreamBeginCapture_v2", stream, 0)
    call("cuMemAllocAsync", byref(place), Size(size), stream)
    launch(store, 1, place, Word(9), stream=stream)
    call("cuMemcpyDtoDAsync_v2", target, place, Size(4), stream)
    call("cuMemFreeAsync", others[0], stream, result=INVALID)
    call("cuMemFreeAsync", place, stream)
    call("cuStreamEndCapture", stream, byref(captured := Handle()))
    parent = graph()
    for ownership, result in (0, UNSUPPORTED), (MOVE, 0):
        described = struct.pack("<4iQi", GRAPH, 0, 0, 0, captured.value or 0, ownership).ljust(256, b"\0")
        call("cuGraphAddNode_v2", byref(node), parent, None, None, Size(0), described, result=result)
    call("cuGraphAddMemAllocNode", byref(Handle()), captured, *before(),
         described_allocation(size), result=INVALID)  # fmt: skip
    executable = ready(parent)
    for _ in range(2):
        call("cuMemsetD32_v2", target, Word(0), Size(1))
        call("cuGraphLaunch", executable, stream)
        call("cuStreamSynchronize", stream)
        assert words(target, 1) == [9]
    call("cuMemFree_v2", place, result=INVALID)  # the graph frees it itself

    # Memory of nodes that are gone ends with a later call, not where the garbage collector finds them.
    gone, captured_bytes = graph(), used()
    add_allocation(gone, size)
    call("cuGraphDestroy", gone)
    assert [gc.collect() >= 0 for _ in OWNED.items()]
    assert used() == captured_bytes

    # Use after free is a fault.
    launch(store, 1, place, Word(1), result=ILLEGAL_ADDRESS)
    call("cuGraphLaunch", executable, stream, result=ILLEGAL_ADDRESS)
    call("cuCtxGetCurrent", byref(own := Handle()))
    call("cuCtxDestroy_v2", own)
    call("cuGraphDestroy", parent)
    call("cuGraphExecDestroy", executable)
blocks.OWN_SLOTS = before_here
for mark in 1, 3:
    call("cuDeviceSetGraphMemAttribute", 0, mark, byref(ctypes.c_uint64(0)))
