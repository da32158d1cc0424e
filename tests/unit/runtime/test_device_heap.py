"""`malloc` in one module, use and `free` in another: the device has one heap, as in CUDA, on both engines."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from openptx.errors import Fault
from openptx.runtime import load
from openptx.runtime.module import LoadedModule

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TAKE = """
.extern .func (.param .b64 r) malloc(.param .b64 n);
.visible .entry take(.param .u64 out, .param .u64 size) {
    .reg .b64 o, n, p;
    ld.param.u64 o, [out]; ld.param.u64 n, [size];
    { .param .b64 a; .param .b64 r; st.param.b64 [a], n; call (r), malloc, (a); ld.param.b64 p, [r]; }
    st.global.u64 [o], p; ret;
}
"""
FREE = """
.extern .func free(.param .b64 p);
.visible .entry release(.param .u64 block) {
    .reg .b64 p;
    ld.param.u64 p, [block];
    { .param .b64 a; st.param.b64 [a], p; call free, (a); }
    ret;
}
"""
USE = """
.visible .entry read(.param .u64 block, .param .u64 out) {
    .reg .b64 p, o; .reg .b32 v;
    ld.param.u64 p, [block]; ld.param.u64 o, [out];
    ld.global.u8 v, [p]; st.global.u8 [o], v; ret;
}
.visible .entry write(.param .u64 block, .param .u32 value) {
    .reg .b64 p; .reg .b32 v;
    ld.param.u64 p, [block]; ld.param.u32 v, [value];
    st.u32 [p], v; ret;
}
.visible .entry count(.param .u64 block) {
    .reg .b64 p; .reg .b32 v;
    ld.param.u64 p, [block];
    atom.global.add.u32 v, [p], 1; ret;
}
.visible .entry copy(.param .u64 to, .param .u64 from, .param .u32 size) {
    .reg .b64 p, q; .reg .b32 n; .reg .pred c; .shared .align 16 .b8 s[512];
    ld.param.u64 p, [to]; ld.param.u32 n, [size];
    cp.async.bulk.global.shared::cta.bulk_group [p], [s], n;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;
}
"""


def module(text: str) -> LoadedModule:
    return load(HEAD.replace("8.0", "8.6").replace("sm_80", "sm_90") + text)


@pytest.fixture(params=["interp", "native"])
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


class Device:
    """Three modules: one allocates, one uses, one frees."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.takes, self.uses, self.frees = module(TAKE), module(USE), module(FREE)
        self.blocks: list[int] = []

    def take(self, size: int) -> int:
        out = np.zeros(1, np.uint64)
        self.takes["take"](1, 1, (out, size), engine=self.engine)
        if out[0]:
            self.blocks.append(int(out[0]))
        return int(out[0])

    def release(self, block: int) -> None:
        self.frees["release"](1, 1, (block,), engine=self.engine)
        self.blocks.remove(block)

    def read(self, block: int) -> int:
        out = np.zeros(1, np.uint8)
        self.uses["read"](1, 1, (block, out), engine=self.engine)
        return int(out[0])

    def use(self, name: str, *arguments: int) -> None:
        self.uses[name](1, 1, arguments, engine=self.engine)


@pytest.fixture
def device(engine: str, empty_heap: None) -> Iterator[Device]:
    found = Device(engine)
    yield found
    for block in [*found.blocks]:
        found.release(block)


def fault(misuse: Callable[[], object]) -> Fault:
    with pytest.raises(Fault) as found:
        misuse()
    return found.value


def test_what_one_module_allocates_others_use_and_free(device: Device) -> None:
    block = device.take(64)
    device.use("write", block + 60, 0x01020304)
    device.use("count", block + 60)
    assert [device.read(block + 60 + i) for i in range(4)] == [5, 3, 2, 1]
    device.use("copy", block, 0, 64)
    assert device.read(block + 60) == 0
    device.release(block)


@pytest.mark.parametrize("size", [64, 10, 1])
def test_one_byte_beyond_a_block(device: Device, size: int) -> None:
    """Although another block follows; and a block ends at its last byte, not at a multiple of 16."""
    block, after = device.take(size), device.take(size)
    device.read(block + size - 1)
    found = fault(lambda: device.read(block + size))
    assert found.name == "out-of-bounds"
    assert found.address == block + size
    assert found.nearest is not None
    assert found.nearest.startswith(f"a block of `malloc`, {size} byte")
    assert found.nearest.endswith(f" at 0x{block:x}; the access ends 1 byte past it")
    found = fault(lambda: device.read(after - 1))
    assert found.nearest is not None
    assert found.nearest.endswith(f" at 0x{after:x}; the access begins 1 byte before it")


def test_the_end_of_a_block_where_another_one_was(device: Device) -> None:
    """What was freed at an address says nothing of it once it is part of another block, or of the gap after that."""
    earlier = [device.take(24) for _ in range(4)]
    for block in earlier:
        device.release(block)
    block = device.take(64)
    assert block == earlier[0]
    found = fault(lambda: device.read(block + 64))
    assert found.nearest == f"a block of `malloc`, 64 bytes at 0x{block:x}; the access ends 1 byte past it"
    device.release(block)


def test_wide_accesses_across_the_end(device: Device) -> None:
    block, _ = device.take(66), device.take(66)
    for name in ("write", "count"):
        device.use(name, block + 60, *([1] if name == "write" else []))
        found = fault(lambda: device.use("write", block + 64, 1))
        assert found.nearest == f"a block of `malloc`, 66 bytes at 0x{block:x}; the access ends 2 bytes past it"
    found = fault(lambda: device.use("copy", block, 0, 160))
    assert found.name == "out-of-bounds"
    assert found.message.startswith("a copy of 160 bytes in the heap")
    assert found.address == block
    assert found.nearest == f"a block of `malloc`, 66 bytes at 0x{block:x}; the access ends 94 bytes past it"


def test_after_free(device: Device) -> None:
    block = device.take(64)
    device.release(block)
    misuses: list[Callable[[], object]] = [
        lambda: device.read(block),
        lambda: device.use("write", block + 12, 1),
        lambda: device.use("count", block + 60),
    ]
    for misuse in misuses:
        found = fault(misuse)
        assert found.name == "out-of-bounds"
        assert "in the heap, which `malloc` has not allocated or `free` has released" in found.message
        assert found.nearest == f"none: a block of `malloc`, 64 bytes at 0x{block:x}, was here and has been freed"


def test_freed_twice_and_from_the_middle(device: Device) -> None:
    block = device.take(64)
    found = fault(lambda: device.release(block + 16))
    assert found.nearest == f"a block of `malloc`, 64 bytes at 0x{block:x}"
    device.release(block)
    device.blocks.append(block)
    found = fault(lambda: device.release(block))
    device.blocks.remove(block)
    assert found.name == "undefined-behavior"
    assert found.message.startswith(f"`free` of 0x{block:x}")
    assert found.nearest == f"none: a block of `malloc`, 64 bytes at 0x{block:x}, was here and has been freed"


def test_two_modules_allocate_in_turns(device: Device, engine: str) -> None:
    other = Device(engine)
    blocks = [(device, other)[i % 2].take(48) for i in range(20)]
    assert len(set(blocks)) == 20
    for i, block in enumerate(blocks):
        (other, device)[i % 2].use("write", block, i)
    assert [device.read(block) for block in blocks] == [*range(20)]
    for i, block in enumerate(blocks):
        (other, device)[i % 2].frees["release"](1, 1, (block,), engine=engine)
    device.blocks.clear()


def test_blocks_outlive_their_module(device: Device) -> None:
    block = device.take(64)
    device.use("write", block, 77)
    del device.takes
    gc.collect()
    assert device.read(block) == 77
    device.takes = module(TAKE.replace("o, n, p", "o, n, p, more"))
    assert device.take(64) not in (0, block)
    device.release(block)


def test_both_engines_share_the_heap(device: Device) -> None:
    block = device.take(64)
    first, device.engine = device.engine, "native" if device.engine == "interp" else "interp"
    device.use("write", block, 9)
    device.release(block)
    device.engine = first
    assert "has been freed" in (fault(lambda: device.read(block)).nearest or "")


def test_a_module_that_ran_before_there_was_a_block(device: Device) -> None:
    """Nothing of an earlier launch is cached: neither its heap nor the absence of one."""
    fault(lambda: device.read(1 << 60))  # where no allocation lies however many there are
    first = device.take(16)
    device.use("write", first, 1)
    second = device.take(16)
    device.use("write", second, 2)
    device.release(first)
    assert device.read(second) == 2
    fault(lambda: device.read(first))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_has_a_heap_of_its_own(device: Device) -> None:
    block = device.take(64)
    device.use("write", block, 5)
    pid = os.fork()
    if pid == 0:
        good = False
        try:
            good = device.read(block) == 5
            device.use("write", block, 6)
            own = device.take(64)
            device.release(block)
            good = good and own not in (0, block) and device.read(own) >= 0
        finally:
            os._exit(0 if good else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert device.read(block) == 5
    device.release(block)


def test_an_exhausted_heap_gives_null_until_somebody_frees(device: Device) -> None:
    assert [device.take(size) for size in (0, 1 << 40, (1 << 64) - 1)] == [0, 0, 0]
    while device.take(1 << 20):
        pass
    assert 6 <= len(device.blocks) <= 8
    assert Device(device.engine).take(1 << 20) == 0
    block = device.blocks[2]
    device.release(block)
    assert Device(device.engine).take(1 << 20) == block
    device.blocks.append(block)


def test_free_where_no_module_has_allocated(engine: str) -> None:
    """There is no heap yet; null may be freed even then."""
    text = f"""
import openptx
release = openptx.load({HEAD + FREE!r})["release"]
release(1, 1, (0,), engine={engine!r})
try:
    release(1, 1, (4096,), engine={engine!r})
except openptx.Fault as fault:
    print(fault.name)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("undefined-behavior\n", "")


def test_a_heap_that_grows_keeps_its_blocks(engine: str) -> None:
    """In a process of its own, whose heap the other tests then do not find enlarged."""
    code = f"""
import sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import numpy as np
from test_device_heap import FREE, TAKE, USE, module
from openptx.device.memory import device

def taken(size):
    out = np.zeros(1, np.uint64)
    module(TAKE)["take"](1, 1, (out, size), engine={engine!r})
    return int(out[0])

def written(block, at):
    module(USE)["write"](1, 1, (block + at, 7), engine={engine!r})

small = taken(1 << 20)
assert small and not taken(16 << 20)
heap = device(64).device_heap()
for _ in range(2):
    heap.grow(40 << 20)
big = taken(16 << 20)
written(big, (16 << 20) - 4)
written(small, (1 << 20) - 4)
state = heap.state()
more = taken(12 << 20)
assert more and not taken(12 << 20)
heap.restore(state)
assert taken(12 << 20) == more
module(FREE)["release"](1, 1, (big,), engine={engine!r})
assert taken(16 << 20) == big
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
