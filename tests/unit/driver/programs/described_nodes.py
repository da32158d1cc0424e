"""Nodes described by one structure for all types, numbers of graphs and nodes, batches of boxes; refusals."""

import ctypes
import struct
from ctypes import byref

import numpy as np
from driver_calls import CUDA, Address, Handle, Size, Word, allocate, call, context, kernel, load, pointers

INVALID, INVALID_DEVICE, INVALID_HANDLE, UNSUPPORTED = 1, 101, 400, 801
KERNEL, COPY, FILL, HOST, GRAPH, EMPTY, WAIT, RECORD, ALLOCATION, FREE, BATCH, CONDITIONAL = (*range(8), 10, 11, 12, 13)
FLOAT, NONE = 0x20, (1 << 64) - 1
Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

own = context()
store = kernel(load(".visible .entry k(.param .u64 p, .param .u32 v) { ret; }"), "k")
graph, event, condition, made = Handle(), Handle(), Address(), Handle()
call("cuGraphCreate", byref(graph), 0)
child = Handle()
call("cuGraphCreate", byref(child), 0)
call("cuEventCreate", byref(event), 0)
call("cuGraphConditionalHandleCreate", byref(condition), graph, own, 0, 1)
data = allocate(64)
arguments = [data, Word(7)]
table = pointers(arguments)
launched = struct.pack("<Q7I4xQQQQ", store.value or 0, 2, 1, 1, 4, 1, 1, 0, ctypes.addressof(table), 0, 0, 0)
copied = struct.pack("<25Q", 0, 0, 0, 0, 2, 0, data.value, *[0] * 8, 2, 0, data.value + 32, *[0] * 7)
copied = copied[:176] + struct.pack("<3Q", 16, 1, 1)
words = ctypes.create_string_buffer(struct.pack("<i4xQQI20x", 2, data.value, 5, 0), 48)
host = Callback(lambda value: None)
function = ctypes.cast(host, Handle).value or 0
given = {
    KERNEL: launched,
    COPY: struct.pack("<iiQ", 0, 0, 0) + copied,
    FILL: struct.pack("<QQIIQQQ", data.value, 0, 9, 4, 3, 1, own.value or 0),
    HOST: struct.pack("<QQ", function, 11),
    GRAPH: struct.pack("<Qi", child.value or 0, 0),
    EMPTY: b"",
    WAIT: struct.pack("<Q", event.value or 0),
    RECORD: struct.pack("<Q", event.value or 0),
    ALLOCATION: struct.pack("<4i88xQQ", 1, 0, 1, 0, 256, 0),
    BATCH: struct.pack("<QI4xQI4x", own.value or 0, 1, ctypes.addressof(words), 0),
    CONDITIONAL: struct.pack("<QIIQQ", condition.value, 1, 1, 0, own.value or 0),
}
found = ctypes.create_string_buffer(256)
numbers = list[int]()
for number, described in given.items():
    node = Handle()
    buffer = ctypes.create_string_buffer(struct.pack("<4i", number, 0, 0, 0) + described, 256)
    call("cuGraphAddNode_v2", byref(node), graph, None, None, Size(0), buffer)
    call("cuGraphNodeGetParams", node, found)
    kind, rest = struct.unpack_from("<i", found.raw)[0], found.raw[16:]
    assert kind == number
    if number == KERNEL:
        assert rest[:40] == described[:40]
        places = (ctypes.c_void_p * 2).from_address(struct.unpack_from("<Q", rest, 40)[0])
        assert Word.from_address(places[1] or 0).value == 7
    elif number == COPY:
        assert rest[16:216] == copied
    elif number == GRAPH:
        inner, ownership = struct.unpack_from("<Qi", rest)
        call("cuGraphGetNodes", Handle(inner), None, byref(Size()))
        assert (inner != child.value, ownership) == (True, -1)
    elif number == ALLOCATION:
        assert rest[:112] == described[:112]
        address = struct.unpack_from("<Q", rest, 112)[0]
        call("cuGraphAddMemFreeNode", byref(made), graph, None, Size(0), Address(address))
        call("cuGraphNodeGetParams", made, found)
        assert struct.unpack_from("<i12xQ", found.raw) == (FREE, address)
    elif number == BATCH:
        assert rest[:12] == described[:12]
        assert ctypes.string_at(struct.unpack_from("<Q", rest, 16)[0], 48) == words.raw
    elif number == CONDITIONAL:
        assert rest[:16] == described[:16]
        assert rest[16:24] == buffer.raw[32:40]  # the graphs
    else:
        assert rest[: len(described)] == described, number
    local = ctypes.c_uint32()
    call("cuGraphNodeGetLocalId", node, byref(local))
    numbers.append(local.value)
assert len({*numbers}) == len(numbers)
call("cuGraphNodeGetParams", graph, found, result=INVALID_HANDLE)
call("cuGraphNodeGetParams", made, None, result=INVALID)

# Numbers of graphs and of nodes.
executable, identity, other, tool = Handle(), ctypes.c_uint32(), ctypes.c_uint32(), ctypes.c_uint64()
call("cuGraphInstantiateWithFlags", byref(executable), child, ctypes.c_uint64(0))
call("cuGraphGetId", child, byref(identity))
call("cuGraphExecGetId", executable, byref(other))
assert identity.value != other.value
call("cuGraphNodeGetToolsId", made, byref(tool))
assert tool.value

# Boxes: an array and memory, rows further apart than the box is wide, and the first wrong one of several.
array, stream = Handle(), Handle()
call("cuStreamCreate", byref(stream), 1)
call("cuArrayCreate_v2", byref(array), struct.pack("<QQII", 8, 4, FLOAT, 1))
image, seen = np.arange(32, dtype=np.float32), np.zeros(12, np.float32)


def memory(place: int, row: int = 0, layer: int = 0) -> bytes:
    return struct.pack("<i4x4Q", 1, place, row, layer, 0)


def cells(x: int = 0, y: int = 0) -> bytes:
    return struct.pack("<i4x4Q", 2, array.value or 0, x, y, 0)


def box(source: bytes, target: bytes, width: int, height: int = 1, depth: int = 1, order: int = 1) -> bytes:
    return source + target + struct.pack("<3QiI", width, height, depth, order, 0)


several = box(memory(image.ctypes.data), cells(), 8, 4) + box(cells(2, 1), memory(seen.ctypes.data, 4), 3, 2)
call("cuMemcpy3DBatchAsync_v2", Size(2), several, ctypes.c_uint64(0), stream)
assert seen.tolist() == [10, 11, 12, 0, 18, 19, 20, 0, 0, 0, 0, 0]
row = box(memory(image.ctypes.data + 4), memory(seen.ctypes.data), 4)
call("cuMemcpy3DWithAttributesAsync", row, ctypes.c_uint64(0), stream)
assert seen[0] == 1
wrong = Size()
for bad in (box(cells(), cells(), 0), box(cells(), cells(), 1, order=0), box(memory(data.value, 2), cells(), 3)):
    both = box(memory(image.ctypes.data + 8), memory(seen.ctypes.data), 4) + bad
    call("cuMemcpy3DBatchAsync", Size(2), both, byref(wrong), ctypes.c_uint64(0), stream, result=INVALID)
    assert (wrong.value, seen[0]) == (1, 1)
call("cuMemcpy3DBatchAsync_v2", Size(1), several, ctypes.c_uint64(1), stream, result=INVALID)
attributes = struct.pack("<6i", 1, 0, 0, 0, 0, 0)
call(
    "cuMemcpyWithAttributesAsync",
    Address(seen.ctypes.data),
    Address(image.ctypes.data + 12),
    Size(4),
    attributes,
    stream,
)
assert seen[0] == 3
call("cuMemcpyWithAttributesAsync", data, data, Size(4), bytes(24), stream, result=INVALID)

# What a GPU has not, either, or the machine has not: the errors of CUDA.
call("cuArrayGetSparseProperties", found, array, result=INVALID)
call("cuArrayGetPlane", byref(made), array, 0, result=INVALID)
call("cuArrayGetMemoryRequirements", found, array, 0, result=INVALID)
call("cuArrayGetMemoryRequirements", found, stream, 0, result=INVALID_HANDLE)
call("cuImportExternalMemory", byref(made), struct.pack("<i", 1).ljust(104, b"\0"), result=UNSUPPORTED)
call("cuImportExternalMemory", byref(made), struct.pack("<i", 77).ljust(104, b"\0"), result=INVALID)
call("cuImportExternalSemaphore", byref(made), None, result=INVALID)
call("cuDestroyExternalMemory", stream, result=INVALID_HANDLE)
call("cuWaitExternalSemaphoresAsync", (Handle * 1)(5), None, 1, stream, result=INVALID_HANDLE)
call("cuDeviceGetP2PAttribute", byref(ctypes.c_int()), 1, 0, 0, result=INVALID_DEVICE)
call("cuDeviceGetHostAtomicCapabilities", byref(identity), byref(Word(4)), 1, 0)
assert identity.value == 0
call("cuDeviceGetHostAtomicCapabilities", byref(identity), byref(Word(40)), 1, 0, result=INVALID)
call("cuDeviceGetTexture1DLinearMaxWidth", byref(wrong), FLOAT, 4, 0)
assert wrong.value >= 1 << 27
call("cuDeviceGetTexture1DLinearMaxWidth", byref(wrong), FLOAT, 3, 0, result=INVALID)
properties = (ctypes.c_int * 14)()
call("cuDeviceGetProperties", properties, 0)
assert (properties[0], properties[9]) == (1024, 32)
assert CUDA.cuGreenCtxCreate(byref(made), None, 0, 0) == UNSUPPORTED  # named once in the log
