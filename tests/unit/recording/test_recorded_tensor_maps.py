"""A GPU's tensor maps in recordings: in parameters, in memory, and made by kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import openptx
from openptx import TensorMap, memory
from openptx.isa.semantics.tensor_map import FIELDS
from openptx.recording import Recording
from openptx.recording.tensor_maps import with_our_maps
from openptx.runtime.driver_tensor_map import Columns, DriverMap, encode

BLOCKS: list[memory.Block] = []
HEAD = ".version 8.3\n.target sm_90a\n.address_size 64\n"
COPY = """
.shared .align 1024 .b8 box[1024]; .shared .align 8 .b64 bar;
.reg .b64 m, to, state; .reg .b32 i, v, at; .reg .pred ready;
{map}
mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 state, [bar], 128;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box], [m, {{8, 1}}], [bar];
AGAIN: mbarrier.try_wait.shared.b64 ready, [bar], state; @!ready bra AGAIN;
ld.param.u64 to, [out]; mov.u32 i, 0; mov.u32 at, box;
NEXT: ld.shared.b32 v, [at]; st.global.b32 [to], v; add.u32 at, at, 4; add.u64 to, to, 4; add.u32 i, i, 1;
setp.lt.u32 ready, i, 32; @ready bra NEXT; ret; }}
"""
BY_PARAMETER = f"""{HEAD}.visible .entry k(.param .u64 out, .param .align 64 .b8 map[128]) {{
{COPY.format(map="mov.b64 m, map; cvta.param.u64 m, m;")}"""
BY_POINTER = f"""{HEAD}.visible .entry k(.param .u64 out, .param .u64 map) {{
{COPY.format(map="ld.param.u64 m, [map];")}"""


def field(name: str, value: str, kind: str = "b32") -> str:
    return f"tensormap.replace.tile.{name}.global.b1024.{kind} [m], {value};"


MADE = f"""{HEAD}.visible .entry k(.param .u64 out, .param .u64 map, .param .u64 tensor) {{
.reg .b64 m, t; ld.param.u64 m, [map]; ld.param.u64 t, [tensor];
{field("global_address", "t", "b64")} {field("rank", "1")} {field("box_dim", "0, 8")} {field("box_dim", "1, 4")}
{field("global_dim", "0, 64")} {field("global_dim", "1, 9")} {field("global_stride", "0, 256", "b64")}
{field("element_stride", "0, 1")} {field("element_stride", "1, 1")} {field("elemtype", "2")}
{field("interleave_layout", "0")} {field("swizzle_mode", "0")} {field("fill_mode", "0")} ret; }}"""


def theirs(address: int, by_kernel: bool = False) -> bytes:
    return encode(DriverMap(address, (9, 64), (256,), (1, 1), "u32", (4, 8), by_kernel=by_kernel))


@pytest.fixture(autouse=True)
def freed() -> Iterator[None]:
    yield
    while BLOCKS:
        memory.free(BLOCKS.pop())


def aligned(count: int) -> NDArray[Any]:
    """Words of device memory: they begin at a multiple of 256 bytes."""
    BLOCKS.append(memory.allocate(4 * count))
    found = BLOCKS[-1].array(np.uint32)
    found[:] = 0
    return found


def tensor() -> NDArray[Any]:
    found = aligned(9 * 64)
    found[:] = np.arange(9 * 64)
    return found


OUT, MAP, DATA = range(3)
"""The parameters of `MADE`."""


def with_region(recording: Recording, parameter: int, **changed: bytes) -> Recording:
    """The recording with other bytes, before or after, in the allocation to which a parameter points."""
    content = {name: np.frombuffer(data, np.uint8) for name, data in changed.items()}
    at = address(recording, parameter)
    return replace(recording, regions=tuple(replace(r, **content) if r.address == at else r for r in recording.regions))


def address(recording: Recording, parameter: int) -> int:
    """What a parameter points to; a tensor map of ours begins with the address of its tensor."""
    return int.from_bytes(recording.parameters[parameter][1][:8], "little")


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_parameter_that_holds_a_map_of_the_driver(engine: str) -> None:
    data, out = tensor(), np.zeros(32, np.uint32)
    recording = openptx.record(openptx.load(BY_PARAMETER)["k"], 1, 1, (out, TensorMap(data.reshape(9, 64), (4, 8))))
    assert out.tolist() == [64 * row + column for row in range(1, 5) for column in range(8, 16)]
    at = address(recording, 1)
    for other in (theirs(at), theirs(at, by_kernel=True)):
        of_gpu = replace(recording, parameters=(recording.parameters[0], (64, other)))
        found = openptx.replay(of_gpu, engine=engine)
        assert found.equal, found
        assert with_our_maps(of_gpu).parameters == recording.parameters


def test_memory_that_holds_a_map_of_the_driver() -> None:
    data, out, map_ = tensor(), np.zeros(32, np.uint32), aligned(48)
    map_[:32] = np.frombuffer(TensorMap.from_parts(data.ctypes.data, (9, 64), [256], (4, 8), element="u32").encoded(
        data.ctypes.data
    ), np.uint32)  # fmt: skip
    recording = openptx.record(openptx.load(MADE)["k"], 1, 1, (out, map_, data))
    text = replace(recording, ptx=openptx.load(BY_POINTER).program.file, parameters=recording.parameters[:2])
    at = address(recording, DATA)
    expected = (data.reshape(9, 64)[1:5, 8:16]).tobytes()
    of_gpu = with_region(text, OUT, after=expected)
    of_gpu = with_region(of_gpu, MAP, before=theirs(at) + bytes(64), after=theirs(at) + bytes(64))
    found = openptx.replay(of_gpu)
    assert found.equal, found


def test_a_map_that_the_kernel_makes_is_compared_by_what_it_says() -> None:
    data, out, map_ = tensor(), np.zeros(32, np.uint32), aligned(48)
    recording = openptx.record(openptx.load(MADE)["k"], 1, 1, (out, map_, data))
    assert map_[FIELDS["box_dim"] // 4] == 8
    made = theirs(address(recording, DATA), by_kernel=True)
    assert openptx.replay(with_region(recording, MAP, after=made + bytes(64))).equal
    for byte in (8, 32, 55, 56, 100):  # rank, size, box, box, nothing
        other = made[:byte] + bytes([made[byte] ^ 2]) + made[byte + 1 :]
        found = openptx.replay(with_region(recording, MAP, after=other + bytes(64)))
        assert found.status == "differs", byte


def test_what_is_no_map_stays() -> None:
    data, out = tensor(), np.zeros(32, np.uint32)
    map_ = aligned(48)
    recording = openptx.record(openptx.load(MADE)["k"], 1, 1, (out, map_, data))
    assert with_our_maps(recording) is recording
    at = address(recording, DATA)
    unaligned = bytes(32) + theirs(at) + bytes(32)
    elsewhere = theirs(at + (1 << 40), by_kernel=True) + bytes(64)
    for content in (unaligned, elsewhere):
        of_gpu = with_region(recording, MAP, before=content, after=content)
        assert with_our_maps(of_gpu) is of_gpu
    driver = theirs(at + (1 << 40)) + bytes(64)  # of memory that was left out
    assert with_our_maps(with_region(recording, MAP, before=driver)) is not recording


def test_maps_of_columns_and_a_map_that_ends_with_the_memory() -> None:
    data, out, map_ = tensor(), np.zeros(32, np.uint32), aligned(48)
    recording = openptx.record(openptx.load(MADE)["k"], 1, 1, (out, map_, data))
    at = address(recording, DATA)
    columns = Columns((-1,), (2,), 5, 8)
    known = DriverMap(at, (2, 4, 8), (1024, 256), (1, 2, 1), "u32", columns=columns, fill="zero", swizzle="32B")
    image = np.zeros((2, 4, 8), np.uint32)
    strided = openptx.Im2colMap(image, (-1,), (2,), channels=8, pixels=5, steps=(2,), swizzle="32B")
    ours = bytearray(strided.encoded(at))
    ours[FIELDS["global_stride"] : FIELDS["global_stride"] + 16] = np.array([256, 1024], np.uint64).tobytes()
    assert TensorMap.from_bytes(encode(known)).encoded(at) == bytes(ours)
    assert repr(TensorMap.from_bytes(encode(known))) == "<tensor map of 2x4x8 u32, im2col, 5 pixels of 8>"
    found = with_our_maps(with_region(recording, MAP, before=bytes(64) + encode(known)))
    region = next(r for r in found.regions if r.address == address(found, MAP))
    assert region.before.tobytes() == bytes(64) + bytes(ours)
