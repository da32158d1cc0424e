"""Conditional nodes: a loop and a branch in its body; memory that nodes of graphs allocate."""

import ctypes
import struct
from ctypes import byref
from typing import Any

from driver_calls import Address, Handle, allocate, call, context, kernel, load, pointers, words

STEP = """
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry step(.param .u64 place, .param .u64 loop, .param .u64 odd) {
    .reg .b64 p, a, b; .reg .b32 x, y; .reg .pred q;
    ld.param.u64 p, [place]; ld.param.u64 a, [loop]; ld.param.u64 b, [odd];
    ld.global.u32 x, [p]; sub.u32 x, x, 1; st.global.u32 [p], x;
    { .param .b64 h; .param .b32 v; st.param.b64 [h], a; st.param.b32 [v], x;
      call.uni cudaGraphSetConditional, (h, v); }
    and.b32 y, x, 1;
    { .param .b64 h; .param .b32 v; st.param.b64 [h], b; st.param.b32 [v], y;
      call.uni cudaGraphSetConditional, (h, v); }
    ret;
}
.visible .entry count(.param .u64 place) {
    .reg .b64 p; .reg .b32 x;
    ld.param.u64 p, [place];
    ld.global.u32 x, [p]; add.u32 x, x, 1; st.global.u32 [p], x;
    ret;
}
"""
KERNEL, ALLOCATION, CONDITIONAL = 0, 10, 13
IF, WHILE, SWITCH = range(3)
ASSIGN = 1
kept = list[Any]()


def add(graph: Handle, after: Handle | None, kind: int, description: bytes, result: int = 0) -> tuple[Handle, Any]:
    """The node, and its description as it came back."""
    made = Handle()
    given = ctypes.create_string_buffer(struct.pack("<4i", kind, 0, 0, 0) + description.ljust(240, b"\0"), 256)
    before = byref(after) if after else None
    call(
        "cuGraphAddNode_v2", byref(made), graph, before, None, ctypes.c_size_t(after is not None), given, result=result
    )
    return made, given


def launch_of(function: Handle, *arguments: int) -> bytes:
    given = [ctypes.c_uint64(one) for one in arguments]
    table = pointers(given)
    kept.extend((given, table))
    return struct.pack("<Q7I4xQQQQ", function.value, 1, 1, 1, 1, 1, 1, 0, ctypes.addressof(table), 0, 0, 0)


def condition(graph: Handle, default: int) -> Address:
    made = Address()
    call("cuGraphConditionalHandleCreate", byref(made), graph, own, default, ASSIGN)
    return made


def chosen_by(handle: Address | int, kind: int, size: int) -> bytes:
    """CUDA_CONDITIONAL_NODE_PARAMS."""
    return struct.pack("<QIIQQ", getattr(handle, "value", handle), kind, size, 0, own.value or 0)


def choice(graph: Handle, after: Handle | None, handle: Address, kind: int, size: int) -> tuple[Handle, list[Handle]]:
    node, given = add(graph, after, CONDITIONAL, chosen_by(handle, kind, size))
    (place,) = struct.unpack_from("<Q", given, 32)
    return node, [Handle(one) for one in (ctypes.c_uint64 * size).from_address(place)]


own = context()
module, graph, ready = load(STEP), Handle(), Handle()
call("cuGraphCreate", byref(graph), 0)
left, odd_steps, even_steps = allocate(16), allocate(16), allocate(16)
loop = condition(graph, 1)
node, (body,) = choice(graph, None, loop, WHILE, 1)
odd = condition(graph, 0)  # for a node in a part of the graph
stepped, _ = add(body, None, KERNEL, launch_of(kernel(module, "step"), left.value, loop.value, odd.value))
_, branches = choice(body, stepped, odd, IF, 2)
for branch, place in zip(branches, (odd_steps, even_steps), strict=True):
    add(branch, None, KERNEL, launch_of(kernel(module, "count"), place.value))
add(graph, None, CONDITIONAL, chosen_by(loop, WHILE, 1), result=1)  # one node for a condition
add(graph, None, CONDITIONAL, chosen_by(4096, WHILE, 1), result=1)
add(graph, None, CONDITIONAL, chosen_by(condition(body, 0), WHILE, 1), result=1)
add(graph, None, CONDITIONAL, chosen_by(condition(graph, 0), IF, 3), result=1)
kind = ctypes.c_int()
call("cuGraphNodeGetType", node, byref(kind))
assert kind.value == CONDITIONAL
call("cuGraphInstantiateWithFlags", byref(ready), graph, ctypes.c_uint64(0))
for times in 1, 2:
    call("cuMemsetD32_v2", left, 7, ctypes.c_size_t(1))
    call("cuGraphLaunch", ready, None)
    assert (words(left, 1), words(odd_steps, 1), words(even_steps, 1)) == ([0], [3 * times], [4 * times])
copy = Handle()
call("cuGraphClone", byref(copy), graph, result=801)
call("cuGraphExecDestroy", ready)
call("cuGraphDestroy", graph)

stream, dependencies, edges, many = Handle(), Address(), Address(), ctypes.c_size_t()
call("cuStreamCreate", byref(stream), 0)
call("cuStreamBeginCapture_v2", stream, 0)
call("cuMemsetD32Async", left, 0, ctypes.c_size_t(1), stream)
call("cuStreamGetCaptureInfo_v3", stream, byref(kind), None, None, byref(dependencies), byref(edges), byref(many))
assert many.value == 1
assert ctypes.string_at(edges.value, 8) == bytes(8)  # data of one edge
call("cuStreamEndCapture", stream, byref(graph))

used, other = ctypes.c_uint64(), Handle()
call("cuDeviceGetGraphMemAttribute", 0, 0, byref(used))
assert used.value == 0
call("cuGraphCreate", byref(other), 0)
add(other, None, ALLOCATION, bytes(104) + struct.pack("<Q", 1000), result=1)  # without the type and place of a pool
node, given = add(other, None, ALLOCATION, struct.pack("<4i88xQ", 1, 0, 1, 0, 1000))
call("cuGraphConditionalHandleCreate", byref(ctypes.c_uint64()), other, None, 0, 0, result=201)
call("cuDeviceGetGraphMemAttribute", 0, 0, byref(used))
assert used.value == 1000
found = ctypes.create_string_buffer(120)
call("cuGraphMemAllocNodeGetParams", node, found)
assert found.raw == given.raw[16:136]
call("cuDeviceGetGraphMemAttribute", 0, 1, byref(used))
assert used.value == 1000
call("cuDeviceSetGraphMemAttribute", 0, 1, byref(ctypes.c_uint64(0)))
call("cuDeviceGraphMemTrim", 0)
call("cuDeviceGetGraphMemAttribute", 0, 7, byref(used), result=1)
