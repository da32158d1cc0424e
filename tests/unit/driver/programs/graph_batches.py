"""Nodes of graphs that wait for words of memory and write them (`cuGraphAddBatchMemOpNode`), alone and as captured."""

import ctypes
import struct
from ctypes import byref

from driver_calls import Address, Handle, Size, Word, call, context

NON_BLOCKING, NOT_READY, INVALID, UNSUPPORTED, UPDATE_FAILURE = 1, 600, 1, 801, 910
WAIT_32, WRITE_32, FLUSH, WAIT_64, WRITE_64, BARRIER, REDUCTION = 1, 2, 3, 4, 5, 6, 8
GEQ, EQ, AND, NOR = range(4)
BATCH = 12

own = context()
shared = Handle()
call("cuMemHostAlloc", byref(shared), Size(128), 2)  # mapped: one address for host and device
begin = shared.value or 0
ctypes.memset(begin, 0, 128)


def word(index: int) -> ctypes.c_uint32:
    return ctypes.c_uint32.from_address(begin + 4 * index)


def operation(what: int, index: int = 0, value: int = 0, flags: int = 0) -> bytes:
    return struct.pack("<i4xQQI20x", what, begin + 4 * index, value, flags)


def batch(*operations: bytes, flags: int = 0, owner: int | None = None) -> tuple[bytes, object]:
    """CUDA_BATCH_MEM_OP_NODE_PARAMS, and the array, which the call copies."""
    array = ctypes.create_string_buffer(b"".join(operations), 48 * len(operations))
    owner = (own.value or 0) if owner is None else owner
    return struct.pack("<QI4xQI4x", owner, len(operations), ctypes.addressof(array), flags), array


def add(graph: Handle, after: Handle | None, *operations: bytes, result: int = 0, flags: int = 0) -> Handle:
    made, (given, array) = Handle(), batch(*operations, flags=flags)
    before = byref(after) if after else None
    call("cuGraphAddBatchMemOpNode", byref(made), graph, before, Size(after is not None), given, result=result)
    ctypes.memset(ctypes.addressof(array), 0, ctypes.sizeof(array))  # type: ignore[arg-type]
    return made


graph, executable, stream = Handle(), Handle(), Handle()
call("cuGraphCreate", byref(graph), 0)
call("cuStreamCreate", byref(stream), NON_BLOCKING)
first = add(graph, None, operation(WRITE_32, 1, 7), operation(WAIT_32, 0, 1, EQ), operation(BARRIER, 9, 9),
            operation(FLUSH, 9, 9), operation(WRITE_64, 2, (5 << 32) + 4))  # fmt: skip
second = add(graph, first, operation(WAIT_64, 2, 4, GEQ), operation(WRITE_32, 4, (3 << 32) + 8, 1))
call("cuGraphInstantiateWithFlags", byref(executable), graph, ctypes.c_uint64(0))
kind = ctypes.c_int()
call("cuGraphNodeGetType", first, byref(kind))
assert kind.value == BATCH
for _ in range(2):
    ctypes.memset(begin, 0, 128)
    call("cuGraphLaunch", executable, stream)
    call("cuStreamQuery", stream, result=NOT_READY)
    assert [word(index).value for index in range(5)] == [0, 7, 0, 0, 0]
    word(0).value = 1
    call("cuStreamSynchronize", stream)
    assert [word(index).value for index in range(5)] == [1, 7, 4, 5, 8]
    assert word(9).value == 0  # a barrier has no word

# Parameters of the node, and of the executable graph's.
found = ctypes.create_string_buffer(32)
call("cuGraphBatchMemOpNodeGetParams", second, found)
owner, count, place, flags = struct.unpack("<QI4xQI4x", found.raw)
assert (owner, count, flags) == (own.value, 2, 0)
assert ctypes.string_at(place, 96) == operation(WAIT_64, 2, 4, GEQ) + operation(WRITE_32, 4, (3 << 32) + 8, 1)
given, kept = batch(operation(WAIT_64, 2, 5, GEQ), operation(WRITE_32, 5, 9))
call("cuGraphExecBatchMemOpNodeSetParams", executable, second, given)
ctypes.memset(begin, 0, 128)
word(0).value = 1
call("cuGraphLaunch", executable, stream)
call("cuStreamSynchronize", stream)
assert [word(index).value for index in range(6)] == [1, 7, 4, 5, 0, 9]
for operations in ((operation(WRITE_32, 5, 9),), (operation(WAIT_32, 2), operation(WRITE_32, 5, 9))):
    given, kept = batch(*operations)
    call("cuGraphExecBatchMemOpNodeSetParams", executable, second, given, result=INVALID)
    described = struct.pack("<4i", BATCH, 0, 0, 0) + given.ljust(240, b"\0")
    call("cuGraphExecNodeSetParams", executable, second, described, result=INVALID)
call("cuGraphBatchMemOpNodeSetParams", second, given)  # the graph itself may have other operations
info = ctypes.create_string_buffer(24)
call("cuGraphExecUpdate_v2", executable, graph, info, result=UPDATE_FAILURE)
assert struct.unpack("<i4xQQ", info.raw) == (5, second.value, 0)  # the parameters
made = Handle()
given, kept = batch(operation(WRITE_32, 6, 6))
described = struct.pack("<4i", BATCH, 0, 0, 0) + given.ljust(240, b"\0")
call("cuGraphAddNode_v2", byref(made), graph, byref(second), None, Size(1), described)

# What is refused when the node is made.
for operations, result in (
    ((operation(7),), INVALID), ((operation(REDUCTION),), UNSUPPORTED), ((operation(WRITE_64, 1),), INVALID),
    ((struct.pack("<i4xQQI20x", WRITE_32, 1 << 41, 0, 0),), INVALID), ((operation(WAIT_32, 0, 0, 8),), INVALID),
    ((operation(WRITE_32, 0, 0, 2),), INVALID), ((operation(BARRIER),) * 257, INVALID),
):  # fmt: skip
    add(graph, None, *operations, result=result)
add(graph, None, operation(BARRIER), result=INVALID, flags=1)
given, kept = batch(operation(BARRIER), owner=begin)
call("cuGraphAddBatchMemOpNode", byref(made), graph, None, Size(0), given, result=201)  # no context
call("cuGraphAddBatchMemOpNode", byref(made), graph, None, Size(0), None, result=INVALID)
add(graph, None)  # no operations at all

# A call that is captured is one node, with its operations.
captured = Handle()
call("cuStreamBeginCapture_v2", stream, 0)
operations = operation(WRITE_32, 1, 1) + operation(WRITE_32, 2, 2)
call("cuStreamBatchMemOp_v2", stream, 2, operations, 0)
call("cuStreamWriteValue32_v2", stream, Address(begin + 12), Word(3), 0)
call("cuStreamEndCapture", stream, byref(captured))
nodes, count = (Handle * 3)(), Size(3)
call("cuGraphGetNodes", captured, nodes, byref(count))
assert count.value == 2
for node, wanted in zip(nodes, (operations, operation(WRITE_32, 3, 3)), strict=False):
    call("cuGraphBatchMemOpNodeGetParams", Handle(node), found)
    assert ctypes.string_at(struct.unpack_from("<Q", found, 16)[0], len(wanted)) == wanted
ctypes.memset(begin, 0, 128)
call("cuGraphInstantiateWithFlags", byref(executable), captured, ctypes.c_uint64(0))
call("cuGraphLaunch", executable, stream)
assert [word(index).value for index in range(4)] == [0, 1, 2, 3]
