"""Calls entry points with wrong handles, pointers and numbers: `python fuzz_program.py SEED COUNT [NAMES...]`.

Pointers lead to memory that the process has: zeros, or pointers again: NVIDIA's driver reads what it is given,
too. Functions of the host are not called. The last line is a count of results; a call that ends the process stands in
stderr by faulthandler, and its name in the file that OPENPTX_FUZZ_LAST names.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import random
import re
import signal
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from ctypes import byref

from driver_calls import CUDA, HEAD, Address, Handle, Size

from openptx.driver.calls import CALLS
from openptx.driver.entry_points import EntryPoint, entry_points

UNKNOWN = 999
"""What a mistake in OpenPTX returns."""
CALLING = ("HostFunc", "AddCallback", "HostNode", "UserObjectCreate", "MaxPotentialBlockSize", "RegisterCallback")
"""Entry points that call functions of the host, whose addresses are the program's matter."""
SIZED = ("Nodes", "Edges", "Depend")
"""Entry points that write as many handles as a number says that they are given a pointer to: it is 0."""
WAITING = ("WaitValue", "StreamBatchMemOp")
"""Entry points after which a stream may wait for ever, and whatever comes after it."""
LEFT_OUT = ("cuInit", "cuGetExportTable", "cuProfilerInitialize")
BYTES, PTX = (
    4096,
    HEAD + (".visible .entry k() { ret; }\n.visible .global .u32 v;\n.global .texref t;\n.global .surfref s;\n"),
)
NUMBERS = {
    "z": (0, 1, 2, 4, 16, 64, BYTES, BYTES + 1, 1 << 40, (1 << 64) - 1),
    "u": (0, 1, 2, 3, 4, 7, 16, 32, 64, 0x7FFFFFFF, 0xFFFFFFFF),
    "i": (0, 1, 2, 3, 4, 7, 16, 64, 100, -1, 0x7FFFFFFF),
    "s": (0, 1, 0xFFFF),
    "b": (0, 1, 0xFF),
}

LIKELY = (
    ("GraphExec.*Node|GraphNode.*Enabled", ("executable", "node")), ("GraphExec|GraphUpload", ("executable", "graph")),
    ("GraphLaunch", ("executable", "stream")), ("GraphAdd", ("graph", "node")), ("GraphNode.*Clone", ("node", "graph")),
    ("Graph.*Node(Get|Set|Copy)|GraphNode|DestroyNode", ("node", "node")), ("Graph", ("graph", "graph")),
    ("TexRef.*Mipmapped", ("texture", "levels")), ("cuTexRef", ("texture", "array")), ("SurfRef", ("surface", "array")),
    ("ModuleGet", ("module",)), ("Param|FuncSet|LaunchGrid|cuLaunch", ("function", "stream")),
    ("Mipmapped", ("levels",)), ("Array", ("array",)), ("Stream", ("stream",)),
)  # fmt: skip
"""The kinds of an entry point's handles, by a part of its name: half of them are such ones."""
WRITTEN = 1 << 16
"""Bytes that a call may have left in the zeros. What it has left elsewhere is put back, too."""


class World:
    """Handles of every kind, memory that is there and memory that has been freed."""

    def __init__(self) -> None:
        self.zeros = ctypes.create_string_buffer(1 << 20)
        self.context, self.gone = Handle(), Handle()
        CUDA.cuInit(0)
        CUDA.cuCtxCreate_v2(byref(self.context), 0, 0)
        self.handles: list[int] = []
        for name, flags in (
            ("cuStreamCreate", (0,)), ("cuEventCreate", (0,)), ("cuModuleLoadData", (PTX.encode(),)),
            ("cuGraphCreate", (0,)), ("cuLinkCreate_v2", (0, None, None)),
            ("cuLibraryLoadData", (PTX.encode(), None, None, 0, None, None, 0)),
        ):  # fmt: skip
            if name == "cuLinkCreate_v2":
                made = Handle()
                CUDA.cuLinkCreate_v2(0, None, None, byref(made))
            else:
                made = Handle()
                getattr(CUDA, name)(byref(made), *flags)
            self.handles.append(made.value or 0)
        function, pool, executable = Handle(), Handle(), Handle()
        CUDA.cuModuleGetFunction(byref(function), Handle(self.handles[2]), b"k")
        CUDA.cuDeviceGetDefaultMemPool(byref(pool), 0)
        CUDA.cuGraphInstantiateWithFlags(byref(executable), Handle(self.handles[3]), ctypes.c_uint64(0))
        CUDA.cuStreamCreate(byref(self.gone), 0)
        CUDA.cuStreamDestroy_v2(self.gone)
        self.handles += [one.value or 0 for one in (function, pool, executable, self.context, self.gone)]
        self.kinds = {"function": [function.value or 0]}
        memory, freed = Address(), Address()
        for one in memory, freed:
            CUDA.cuMemAlloc_v2(byref(one), Size(BYTES))
        CUDA.cuMemFree_v2(freed)
        self.memory = [memory.value, memory.value + 8, memory.value + BYTES - 1, memory.value + BYTES, freed.value]
        self.handles += [*self.nodes(function), *self.images()]
        every = [ctypes.addressof(self.zeros), ctypes.addressof(self.zeros) + 8] * 12000
        self.words, self.pristine = ((ctypes.c_uint64 * len(every))(*every) for _ in range(2))
        self.pointers = [0, *[ctypes.addressof(self.zeros)] * 3, *[ctypes.addressof(self.words)] * 3]

    def nodes(self, function: Handle) -> list[int]:
        """Handles of a graph with nodes of several kinds, of these, of a condition, and of a graph that is gone."""
        graph, child, gone, condition = Handle(), Handle(), Handle(), Address()
        for one in graph, child, gone:
            CUDA.cuGraphCreate(byref(one), 0)
        CUDA.cuGraphDestroy(gone)
        own = Handle()
        CUDA.cuCtxGetCurrent(byref(own))
        CUDA.cuGraphConditionalHandleCreate(byref(condition), graph, own, 0, 1)
        word = struct.pack("<i4xQQI20x", 2, ctypes.addressof(self.zeros), 0, 0)
        array = ctypes.create_string_buffer(word, 48)
        made = [Handle() for _ in range(7)]
        for node, (kind, described) in zip(made, (
            (0, struct.pack("<Q7I4xQQ", function.value or 0, *[1] * 6, 0, 0, 0)),
            (2, struct.pack("<QQIIQQ", self.memory[0], 0, 0, 4, 1, 1)),
            (4, struct.pack("<Qi", child.value or 0, 0)), (5, b""), (10, struct.pack("<4i88xQ", 1, 0, 1, 0, 64)),
            (12, struct.pack("<QI4xQ", 0, 1, ctypes.addressof(array))),
            (13, struct.pack("<QII", condition.value, 1, 1)),
        ), strict=True):  # fmt: skip
            given = ctypes.create_string_buffer(struct.pack("<4i", kind, 0, 0, 0) + described, 256)
            CUDA.cuGraphAddNode_v2(byref(node), graph, None, None, Size(0), given)
        executable = Handle()
        CUDA.cuGraphInstantiateWithFlags(byref(executable), graph, ctypes.c_uint64(1))
        self.graphs = [graph.value or 0, child.value or 0]
        self.kinds["node"], self.kinds["executable"] = [one.value or 0 for one in made], [executable.value or 0]
        self.kinds["graph"] = [graph.value or 0]
        every = [graph, child, gone, executable, *made]
        assert all(one.value for one in every)
        return [*(one.value or 0 for one in every), condition.value]

    def images(self) -> list[int]:
        """Handles of arrays, references and objects."""
        array, levels, reference, surface = Handle(), Handle(), Handle(), Handle()
        described = struct.pack("<QQQIIII", 16, 16, 0, 0x20, 1, 2, 0)
        CUDA.cuArray3DCreate_v2(byref(array), described)
        CUDA.cuMipmappedArrayCreate(byref(levels), described, 2)
        module, shown = Handle(self.handles[2]), ctypes.c_uint64()
        CUDA.cuModuleGetTexRef(byref(reference), module, b"t")
        CUDA.cuModuleGetSurfRef(byref(surface), module, b"s")
        CUDA.cuSurfObjectCreate(byref(shown), struct.pack("<i4xQ", 0, array.value or 0).ljust(144, b"\0"))
        self.kinds |= {"array": [array.value or 0], "levels": [levels.value or 0], "texture": [reference.value or 0]}
        self.kinds |= {"surface": [surface.value or 0], "stream": [self.handles[0], 0], "module": [self.handles[2]]}
        every = [array, levels, reference, surface, shown]
        assert all(one.value for one in every)
        return [one.value or 0 for one in every]

    def likely(self, symbol: str) -> Iterator[list[int]]:
        """What the handles of an entry point may well be, one after the other."""
        kinds = next((kinds for part, kinds in LIKELY if re.search(part, symbol)), ())
        yield from (self.kinds[kind] for kind in kinds)
        while True:
            yield self.handles

    def argument(self, letter: str, numbers: random.Random, sized: bool) -> int:
        if letter == "p":
            return numbers.choice(self.pointers[:4] if sized else self.pointers)
        if letter in "hd":
            others = [0, 1, 2, 3, 0x1234, ctypes.addressof(self.zeros), (1 << 64) - 64]
            return numbers.choice([*self.handles, *self.memory, *others])
        return numbers.choice(NUMBERS.get(letter, (0, 1, 1 << 32)))

    def end(self) -> None:
        for name, at in (("cuModuleUnload", 2), ("cuGraphDestroy", 3)):
            getattr(CUDA, name)(Handle(self.handles[at]))
        for graph in self.graphs:
            CUDA.cuGraphDestroy(Handle(graph))
        CUDA.cuCtxDestroy_v2(self.context)


def attempt(entry: EntryPoint, world: World, numbers: random.Random, last: int) -> int:
    types = entry.types
    ctypes.memset(world.zeros, 0, WRITTEN)
    ctypes.memmove(world.words, world.pristine, ctypes.sizeof(world.words))
    sized = "Get" in entry.symbol and any(part in entry.symbol for part in SIZED)
    likely = world.likely(entry.symbol)
    values = [
        numbers.choice(next(likely))
        if letter in "hd" and numbers.random() < 0.5
        else world.argument(letter, numbers, sized)
        for letter in entry.parameters
    ]
    if entry.symbol.startswith("cuLaunch"):  # 2**31 blocks take a CPU a day
        values = [
            value % 1000 if letter in "iu" else value for letter, value in zip(entry.parameters, values, strict=True)
        ]
    os.pwrite(last, f"{entry.symbol}({', '.join(hex(value) for value in values)})".ljust(400).encode(), 0)
    given = [kind() if kind.__name__ == "IpcHandle" else kind(v) for kind, v in zip(types, values, strict=True)]
    for letter, value in zip(entry.parameters, given, strict=True):
        if letter == "f":
            value.value = numbers.choice((0.0, -1.0, float("nan"), 1e30))
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)((entry.symbol, CUDA))(*given)


def main(seed: int, count: int, names: list[str]) -> int:
    faulthandler.enable()
    last = os.open(os.environ.get("OPENPTX_FUZZ_LAST", os.devnull), os.O_WRONLY | os.O_CREAT)
    numbers, results, wrong = random.Random(seed), Counter[int](), set[str]()
    world = World()  # which fills CALLS
    every = [one for one in entry_points() if one.symbol in CALLS and one.symbol not in LEFT_OUT]
    every = [one for one in every if not any(part in one.symbol for part in (*CALLING, *WAITING))]
    every = [one for one in every if not names or one.symbol in names]
    for i in range(count):
        entry = numbers.choice(every)
        signal.alarm(20)  # a call that hangs is one that crashes
        found = attempt(entry, world, numbers, last)
        results[found] += 1
        if found == UNKNOWN:
            wrong.add(entry.symbol)
        if i % 20 == 19:
            world.end()
            world = World()
    signal.alarm(0)
    print(*sorted(wrong))
    print(f"{count} calls of {len(every)} entry points: {results[0]} succeeded, {len(results)} results")
    return bool(wrong)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # calls write files under the names that they are given
        wrong = main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
        os.chdir("/")
    sys.exit(wrong)
