"""Executable graphs that are changed or destroyed while a launch waits in a stream; updates that are refused."""

import ctypes
import struct
import time
from ctypes import byref

from driver_calls import Address, Handle, Size, Word, call, context

from openptx.driver.objects import driver

EQ, NON_BLOCKING, NOT_READY, INVALID, UNSUPPORTED, UPDATE_FAILURE = 1, 1, 600, 1, 801, 910
TOPOLOGY, TYPE, PARAMETERS = 2, 3, 5
GRAPH, CONDITIONAL, ASSIGN, WHILE, MOVE = 4, 13, 1, 1, 1
Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

own = context()
shared = Handle()
call("cuMemHostAlloc", byref(shared), Size(64), 2)  # mapped: one address for host and device
begin = shared.value or 0


def word(index: int) -> ctypes.c_uint32:
    return ctypes.c_uint32.from_address(begin + 4 * index)


def stream() -> Handle:
    made = Handle()
    call("cuStreamCreate", byref(made), NON_BLOCKING)
    return made


def graph() -> Handle:
    made = Handle()
    call("cuGraphCreate", byref(made), 0)
    return made


def array(nodes: list[Handle]) -> ctypes.Array[Handle]:
    return (Handle * max(len(nodes), 1))(*(node.value for node in nodes))


def add(name: str, where: Handle, after: list[Handle], *more: object, result: int = 0) -> Handle:
    made = Handle()
    call(f"cuGraphAdd{name}", byref(made), where, array(after), Size(len(after)), *more, result=result)
    return made


def store(index: int, value: int) -> bytes:
    """CUDA_MEMSET_NODE_PARAMS for one word."""
    return struct.pack("<QQIIQQQ", begin + 4 * index, 0, value, 4, 1, 1, 0)


def fill(where: Handle, after: list[Handle], index: int, value: int) -> Handle:
    return add("MemsetNode", where, after, store(index, value), None)


def ready(where: Handle, flags: int = 0, result: int = 0) -> Handle:
    made = Handle()
    call("cuGraphInstantiateWithFlags", byref(made), where, ctypes.c_uint64(flags), result=result)
    return made


def stall(where: Handle, index: int) -> None:
    word(index).value = 0
    call("cuStreamWaitValue32_v2", where, Address(begin + 4 * index), Word(1), EQ)


def launched(executable: Handle, where: Handle) -> None:
    call("cuGraphLaunch", executable, where)
    call("cuStreamQuery", where, result=NOT_READY)


def release(where: Handle, index: int) -> None:
    word(index).value = 1
    call("cuStreamSynchronize", where)


def update(executable: Handle, new: Handle, result: int = 0) -> tuple[int, int, int]:
    """CUgraphExecUpdateResultInfo: the result, the node, what it comes after."""
    info = ctypes.create_string_buffer(24)
    call("cuGraphExecUpdate_v2", executable, new, info, result=UPDATE_FAILURE if result else 0)
    found = struct.unpack("<i4xQQ", info.raw)
    assert found[0] == result, found
    return found


# A launch that waits does what it was asked to do: parameters, an update, a child and the end come too late for it.
main, other = stream(), stream()
one, child = graph(), graph()
inside = fill(child, [], 2, 20)
first = fill(one, [], 1, 10)
part = add("ChildGraphNode", one, [first], child)
changed = graph()
fill(changed, [], 2, 21)
for change in ("parameters", "enabled", "child", "update", "destroy"):
    executable = ready(one)
    word(1).value = word(2).value = 0
    stall(main, 0)
    launched(executable, main)
    if change == "parameters":
        call("cuGraphExecMemsetNodeSetParams", executable, first, store(1, 11), None)
    elif change == "enabled":
        call("cuGraphNodeSetEnabled", executable, first, 0)
    elif change == "child":
        call("cuGraphExecChildGraphNodeSetParams", executable, part, changed)
    elif change == "update":
        new = graph()
        add("ChildGraphNode", new, [fill(new, [], 1, 11)], changed)
        update(executable, new)
    else:
        call("cuGraphExecDestroy", executable)
    release(main, 0)
    assert (word(1).value, word(2).value) == (10, 20), (change, word(1).value, word(2).value)
    if change != "destroy":
        word(1).value = word(2).value = 0
        call("cuGraphLaunch", executable, main)
        later = {"parameters": (11, 20), "enabled": (0, 20), "child": (10, 21), "update": (11, 21)}[change]
        assert (word(1).value, word(2).value) == later, change

# User objects live until the last launch is done.
ended: list[int] = []


@Callback
def end(value: int | None) -> None:
    ended.append(value or 0)


kept = Handle()
call("cuUserObjectCreate", byref(kept), Handle(5), end, 1, 1)
keeper = graph()
fill(keeper, [], 1, 30)
call("cuGraphRetainUserObject", keeper, kept, 1, 1)
executable = ready(keeper)
stall(main, 0)
launched(executable, main)
call("cuGraphExecDestroy", executable)
call("cuGraphDestroy", keeper)
assert not ended
release(main, 0)
for _ in range(200):
    if ended:
        break
    time.sleep(0.01)
assert (word(1).value, ended) == (30, [5])

# Launches of one executable graph come one after the other in all streams.
executable = ready(one)
word(1).value = 0
stall(main, 0)
launched(executable, main)
launched(executable, other)
assert word(1).value == 0
release(main, 0)
call("cuStreamSynchronize", other)
assert word(1).value == 10

# Edges that a graph gets later, a cycle here, do not belong to the executable graph.
two = graph()
left = fill(two, [], 1, 1)
right = fill(two, [left], 2, 2)
executable = ready(two)
call("cuGraphAddDependencies", two, array([right]), array([left]), Size(1))
call("cuGraphLaunch", executable, main)
call("cuStreamSynchronize", main)
assert (word(1).value, word(2).value) == (1, 2)

# Nodes of a child graph have parameters in the executable graph, too.
mine = Handle()
call("cuGraphChildGraphNodeGetGraph", part, byref(mine))
count, nodes = Size(1), (Handle * 1)()
call("cuGraphGetNodes", mine, nodes, byref(count))
executable = ready(one)
call("cuGraphExecMemsetNodeSetParams", executable, Handle(nodes[0]), store(2, 22), None)
call("cuGraphExecMemsetNodeSetParams", executable, inside, store(2, 23), None, result=INVALID)  # it was cloned
call("cuGraphLaunch", executable, main)
assert word(2).value == 22

# What an update refuses, and where. Nothing of it is done.
larger, plain = graph(), graph()
fill(larger, [fill(larger, [], 3, 1)], 2, 41)
new = graph()
wrong = add("ChildGraphNode", new, [fill(new, [], 1, 40)], larger)
assert update(executable, new, TOPOLOGY)[1:] == (0, 0)  # as on an H200: the number of nodes, of a child graph too
call("cuGraphExecChildGraphNodeSetParams", executable, part, larger, result=UPDATE_FAILURE)
wrong = fill(plain, [fill(plain, [], 1, 40)], 2, 41)
assert update(executable, plain, TYPE)[1:] == (wrong.value, 0)
assert update(executable, child, TOPOLOGY)[1:] == (0, 0)  # the number of nodes
call("cuGraphLaunch", executable, main)
assert (word(1).value, word(2).value) == (10, 22)

# Nodes are paired by their edges, not by the order in which they were added.
chain, again, fork = graph(), graph(), graph()
fill(chain, [fill(chain, [fill(chain, [], 1, 1)], 2, 2)], 3, 3)
last = fill(again, [], 3, 6)
middle = fill(again, [], 2, 5)
call("cuGraphAddDependencies", again, array([fill(again, [], 1, 4), middle]), array([middle, last]), Size(2))
executable = ready(chain)
update(executable, again)
call("cuGraphLaunch", executable, main)
assert [word(index).value for index in (1, 2, 3)] == [4, 5, 6]
root = fill(fork, [], 1, 7)
sinks = [fill(fork, [root], 2, 8), fill(fork, [root], 3, 9)]
assert update(executable, fork, TOPOLOGY)[1:] == (sinks[1].value, 0)  # more ends
ring = graph()
top = fill(ring, [], 1, 1)
bottom = fill(ring, [fill(ring, [top], 2, 2), top], 3, 3)
assert update(executable, ring, TOPOLOGY)[1:] == (bottom.value, 0)  # more edges

# The conditions of a child graph have their values at each launch.
outer, body = graph(), graph()
part = add("ChildGraphNode", outer, [], graph())
call("cuGraphChildGraphNodeGetGraph", part, byref(mine))
condition = Address()
call("cuGraphConditionalHandleCreate", byref(condition), mine, own, 1, ASSIGN)
described = struct.pack("<4iQIIQQ", CONDITIONAL, 0, 0, 0, condition.value, WHILE, 1, 0, own.value or 0)
given = ctypes.create_string_buffer(described, 256)
looped = Handle()
call("cuGraphAddNode_v2", byref(looped), mine, None, None, Size(0), given)
body = Handle.from_address(struct.unpack_from("<Q", given, 32)[0])
fill(body, [fill(body, [], 4, 1)], 5, 1)
clear = add("MemsetNode", body, [], struct.pack("<QQIIQQQ", condition.value, 0, 0, 4, 1, 1, 0), None)
executable = ready(outer)
for _ in range(2):
    word(4).value = 0
    call("cuGraphLaunch", executable, main)
    call("cuStreamSynchronize", main)
    assert word(4).value == 1

# A graph that cannot be cloned leaves nothing; neither does a child of a node that cannot be added.
handles = driver().count
holder = graph()
add("ChildGraphNode", holder, [], chain)
before, copy = driver().count, Handle()
call("cuGraphClone", byref(copy), outer, result=UNSUPPORTED)
add("ChildGraphNode", holder, [], outer, result=UNSUPPORTED)
add("ChildGraphNode", holder, [first], chain, result=INVALID)  # a node of another graph
described = struct.pack("<4iQi", GRAPH, 0, 0, 0, chain.value, 0).ljust(256, b"\0")
foreign = array([first])
call("cuGraphAddNode_v2", byref(looped), holder, foreign, None, Size(1), described, result=INVALID)
call("cuGraphNodeSetParams", first, described, result=INVALID)
assert driver().count == before
call("cuGraphDestroy", holder)
assert driver().count == handles

# A child graph that is moved belongs to its node.
parent = graph()
described = struct.pack("<4iQi", GRAPH, 0, 0, 0, chain.value, MOVE).ljust(256, b"\0")
node = Handle()
call("cuGraphAddNode_v2", byref(node), parent, None, None, Size(0), described)
call("cuGraphChildGraphNodeGetGraph", node, byref(mine))
assert mine.value == chain.value
call("cuGraphAddNode_v2", byref(node), parent, None, None, Size(0), described, result=INVALID)
call("cuGraphDestroy", chain, result=INVALID)
ready(chain, result=INVALID)
call("cuGraphExecUpdate_v2", executable, chain, None, result=INVALID)
add("ChildGraphNode", graph(), [], chain, result=INVALID)
described = struct.pack("<4iQi", GRAPH, 0, 0, 0, parent.value, MOVE).ljust(256, b"\0")
call("cuGraphAddNode_v2", byref(node), mine, None, None, Size(0), described, result=INVALID)  # a graph in itself
executable = ready(parent, flags=8)
call("cuGraphExecGetFlags", executable, byref(flags := ctypes.c_uint64()))
assert flags.value == 8
ready(parent, flags=16, result=INVALID)
call("cuGraphLaunch", executable, main)
assert [word(index).value for index in (1, 2, 3)] == [1, 2, 3]
call("cuGraphDestroy", parent)
call("cuGraphGetNodes", chain, None, byref(count), result=400)
