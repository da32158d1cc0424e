"""Graphs that programs build, and captures with their edges, compared with executing the nodes one by one."""

import ctypes
import struct
import tempfile
from ctypes import byref
from pathlib import Path

from driver_calls import Address, Handle, Size, Word, allocate, call, context, kernel, load, pointers, words

KERNEL, COPY, FILL, HOST, GRAPH, EMPTY, RECORD = 0, 1, 2, 3, 4, 5, 7
ON_HOST, ON_DEVICE = 1, 2
Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

context()
module = load("""
.visible .entry affine(.param .u64 x, .param .u32 a, .param .u32 b) {
    .reg .b64 %p, %o; .reg .b32 %i, %a, %b, %v;
    ld.param.u64 %p, [x]; ld.param.u32 %a, [a]; ld.param.u32 %b, [b];
    mov.u32 %i, %tid.x;
    mul.wide.u32 %o, %i, 4;
    add.u64 %p, %p, %o;
    ld.global.u32 %v, [%p];
    mad.lo.u32 %v, %v, %a, %b;
    st.global.u32 [%p], %v;
    ret;
}
""")
affine = kernel(module, "affine")
data = allocate(16)
called: list[int] = []


@Callback
def note(value: int | None) -> None:
    called.append(value or 0)


def graph() -> Handle:
    made = Handle()
    call("cuGraphCreate", byref(made), 0)
    return made


def array(nodes: list[Handle]) -> ctypes.Array[Handle]:
    return (Handle * max(len(nodes), 1))(*(node.value for node in nodes))


def describe(a: int, b: int, threads: int = 4) -> tuple[bytes, object]:
    """CUDA_KERNEL_NODE_PARAMS, second version, and what keeps the parameters."""
    arguments = [data, Word(a), Word(b)]
    given = pointers(arguments)
    place = ctypes.addressof(given)
    return struct.pack("<Q7I4xQQQQ", affine.value or 0, 1, 1, 1, threads, 1, 1, 0, place, 0, 0, 0), (given, arguments)


def add(name: str, where: Handle, after: list[Handle], *more: object, result: int = 0) -> Handle:
    made = Handle()
    call(f"cuGraphAdd{name}", byref(made), where, array(after), Size(len(after)), *more, result=result)
    return made


def add_kernel(where: Handle, after: list[Handle], a: int, b: int) -> Handle:
    described, kept = describe(a, b)
    made = add("KernelNode_v2", where, after, described)
    del kept  # parameters were copied
    return made


def fill_of(value: int, count: int = 4) -> bytes:
    return struct.pack("<QQIIQQQ", data.value, 0, value, 4, count, 1, 0)


def instantiated(where: Handle) -> Handle:
    made = Handle()
    call("cuGraphInstantiateWithFlags", byref(made), where, ctypes.c_uint64(0))
    return made


def nodes_of(name: str, where: Handle) -> list[int]:
    count = Size()
    call(name, where, None, byref(count))
    found = (Handle * (count.value + 1))()
    count.value += 1
    call(name, where, found, byref(count))
    assert found[count.value] is None
    return [found[i] or 0 for i in range(count.value)]


def kind(node: Handle) -> int:
    found = ctypes.c_int()
    call("cuGraphNodeGetType", node, byref(found))
    return found.value


# A fill, two kernels in a row, a copy to the host and a function there, added in another order than they run in.
back = (Word * 4)()
built = graph()
second = add_kernel(built, [], 1, 5)
first = add_kernel(built, [], 3, 1)
filled = add("MemsetNode", built, [], fill_of(2), None)
copied = struct.pack("<25Q", *[0] * 4, ON_DEVICE, 0, data.value, *[0] * 4, *[0] * 4, ON_HOST, ctypes.addressof(back),
                     *[0] * 5, 16, 1, 1)  # fmt: skip
read = add("MemcpyNode", built, [second], copied, None)
function = struct.pack("<QQ", ctypes.cast(note, Handle).value or 0, 7)
notified = add("HostNode", built, [read], function)
join = add("EmptyNode", built, [notified, filled])
call("cuGraphAddDependencies", built, array([filled, first]), array([first, second]), Size(2))
call("cuGraphAddDependencies", built, array([filled]), array([first]), Size(1), result=1)  # twice
call("cuGraphAddDependencies", built, array([first]), array([first]), Size(1), result=1)
assert [kind(node) for node in (second, filled, read, notified, join)] == [KERNEL, FILL, COPY, HOST, EMPTY]
ready = instantiated(built)
assert words(data, 4) == [0] * 4  # nothing ran yet
for _ in range(2):
    call("cuGraphLaunch", ready, None)
    assert list(back) == [12] * 4
assert called == [7, 7]

# What there is.
assert nodes_of("cuGraphGetNodes", built) == [one.value for one in (second, first, filled, read, notified, join)]
assert nodes_of("cuGraphGetRootNodes", built) == [filled.value]
assert nodes_of("cuGraphNodeGetDependencies", join) == [notified.value, filled.value]
assert nodes_of("cuGraphNodeGetDependentNodes", filled) == [first.value, join.value]
count = Size()
call("cuGraphGetEdges", built, None, None, byref(count))
assert count.value == 6
begins, ends = (Handle * 6)(), (Handle * 6)()
call("cuGraphGetEdges", built, begins, ends, byref(count))
assert (filled.value, first.value) in zip(begins, ends, strict=True)
shape = ctypes.create_string_buffer(72)
call("cuGraphKernelNodeGetParams_v2", second, shape)
unpacked = struct.unpack("<Q7I4xQQQQ", shape.raw)
assert unpacked[:8] == (affine.value, 1, 1, 1, 4, 1, 1, 0)
places = (ctypes.c_void_p * 3).from_address(unpacked[8])
assert (Address.from_address(places[0] or 0).value, Word.from_address(places[2] or 0).value) == (data.value, 5)
call("cuGraphMemcpyNodeGetParams", read, box := ctypes.create_string_buffer(200))
assert box.raw == copied
call("cuGraphMemsetNodeGetParams", filled, shape)
assert shape.raw[:40] == fill_of(2)[:40]
call("cuGraphHostNodeGetParams", notified, shape)
assert shape.raw[:16] == function
call("cuGraphMemsetNodeGetParams", second, shape, result=1)

# Changes of the executable graph leave the graph as it is, and the other way around.
described, kept = describe(10, 0)
call("cuGraphExecKernelNodeSetParams_v2", ready, first, described)
call("cuGraphLaunch", ready, None)
assert list(back) == [25] * 4
call("cuGraphExecMemsetNodeSetParams", ready, filled, fill_of(1), None)
call("cuGraphNodeSetEnabled", ready, second, 0)
call("cuGraphLaunch", ready, None)
assert list(back) == [10] * 4
call("cuGraphNodeSetEnabled", ready, notified, 0, result=1)  # a host node cannot be switched off
call("cuGraphMemsetNodeSetParams", filled, fill_of(4))
again = instantiated(built)
call("cuGraphLaunch", again, None)
assert list(back) == [18] * 4
info = ctypes.create_string_buffer(24)
call("cuGraphNodeSetEnabled", ready, second, 1)
call("cuGraphExecUpdate_v2", ready, built, info)
call("cuGraphLaunch", ready, None)
assert list(back) == [18] * 4
call("cuGraphRemoveDependencies", built, array([notified]), array([join]), Size(1))
call("cuGraphExecUpdate_v2", ready, built, info, result=910)
assert struct.unpack_from("<i", info)[0] == 2  # the topology

# Clones, children, cycles, nodes of other graphs.
clone, found = Handle(), Handle()
call("cuGraphClone", byref(clone), built)
call("cuGraphNodeFindInClone", byref(found), filled, clone)
assert found.value not in (None, filled.value)
call("cuGraphMemsetNodeSetParams", found, fill_of(0))
parent = graph()
child = add("ChildGraphNode", parent, [], clone)
after = add_kernel(parent, [child], 100, 0)
assert kind(child) == GRAPH
call("cuGraphDestroy", clone)  # the parent has its own
nested = instantiated(parent)
call("cuGraphLaunch", nested, None)
assert list(back) == [6] * 4
assert words(data, 4) == [600] * 4
add("EmptyNode", parent, [first], result=1)
call("cuGraphAddDependencies", parent, array([after]), array([child]), Size(1))
call("cuGraphInstantiateWithFlags", byref(Handle()), parent, ctypes.c_uint64(0), result=1)  # a cycle
call("cuGraphDestroyNode", after)
instantiated(parent)

# As a drawing, the child's nodes inside.
with tempfile.TemporaryDirectory() as folder:
    drawing = Path(folder) / "graph.dot"
    call("cuGraphDebugDotPrint", parent, str(drawing).encode(), 0)
    drawn = drawing.read_text("utf-8")
    call("cuGraphDebugDotPrint", parent, str(drawing).encode(), 1)
    assert len(drawing.read_text("utf-8")) > len(drawn)  # the verbose one
    call("cuGraphDebugDotPrint", parent, str(drawing / "none").encode(), 0, result=304)
assert (drawn.count("subgraph"), drawn.count("kernel affine"), drawn.count("->")) == (2, 2, 5)

# By CUgraphNodeParams, and an event that each launch records.
event, start, elapsed = Handle(), Handle(), ctypes.c_float()
call("cuEventCreate", byref(event), 0)
call("cuEventCreate", byref(start), 0)
call("cuEventRecord", start, None)
general = graph()
made = Handle()
described, kept = describe(1, 1)
for number, data_of in ((KERNEL, described), (RECORD, struct.pack("<QQ", event.value or 0, 0))):
    parameters = struct.pack("<i12x", number) + data_of.ljust(240, b"\0")
    call("cuGraphAddNode_v2", byref(made), general, array([]), None, Size(0), parameters)
call("cuGraphAddNode_v2", byref(made), general, array([]), None, Size(0), struct.pack("<i", 8).ljust(256, b"\0"),
     result=801)  # fmt: skip
call("cuEventElapsedTime", byref(elapsed), start, event, result=400)
call("cuGraphLaunch", instantiated(general), None)
call("cuEventElapsedTime", byref(elapsed), start, event)
assert words(data, 4) == [601] * 4

# A capture in two streams has a fork and a join, and no node for the events.
one, two, forked, joined, captured = Handle(), Handle(), Handle(), Handle(), Handle()
for stream in (one, two):
    call("cuStreamCreate", byref(stream), 1)
for each in (forked, joined):
    call("cuEventCreate", byref(each), 0)


def fill(value: int, stream: Handle) -> None:
    call("cuMemsetD32Async", data, value, Size(4), stream)


call("cuStreamBeginCapture_v2", one, 0)
fill(1, one)
call("cuEventRecord", forked, one)
call("cuStreamWaitEvent", two, forked, 0)
fill(2, two)
fill(3, one)
call("cuEventRecord", joined, two)
call("cuStreamWaitEvent", one, joined, 0)
status, number, which, last, count = ctypes.c_int(), ctypes.c_uint64(), Handle(), Handle(), Size()
call("cuStreamGetCaptureInfo_v2", one, byref(status), byref(number), byref(which), byref(last), byref(count))
assert (status.value, count.value) == (1, 2)
fill(4, one)
call("cuStreamEndCapture", one, byref(captured))
assert which.value == captured.value
nodes = nodes_of("cuGraphGetNodes", captured)
assert len(nodes) == 4
edges = [nodes_of("cuGraphNodeGetDependencies", Handle(node)) for node in nodes]
assert edges == [[], [nodes[0]], [nodes[0]], [nodes[2], nodes[1]]]
call("cuStreamWaitEvent", two, joined, 0, result=1)  # the capture is over
call("cuEventQuery", joined, result=1)

call("cuStreamBeginCapture_v2", one, 0)
call("cuEventRecord", forked, one)
call("cuStreamWaitEvent", two, forked, 0)
fill(5, two)
call("cuStreamEndCapture", one, byref(captured), result=904)  # nothing waits for the second stream
call("cuStreamBeginCapture_v2", one, 0)
call("cuStreamWaitEvent", one, start, 0, result=905)  # recorded outside
call("cuStreamEndCapture", one, byref(captured), result=901)

# User objects live as long as a graph that keeps them, and those that were made of it.
kept_by, ended = Handle(), Callback(note)
call("cuUserObjectCreate", byref(kept_by), Handle(99), ended, 1, 1)
keeper = graph()
call("cuGraphRetainUserObject", keeper, kept_by, 1, 1)
holding = instantiated(keeper)
call("cuGraphDestroy", keeper)
assert 99 not in called
call("cuGraphExecDestroy", holding)
assert called[-1] == 99
call("cuUserObjectRelease", kept_by, 1, result=1)

call("cuGraphDestroy", built)
call("cuGraphLaunch", ready, None)  # needs the graph no longer
call("cuGraphNodeGetType", filled, byref(ctypes.c_int()), result=400)
