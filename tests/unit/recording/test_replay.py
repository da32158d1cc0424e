"""`openptx.record` and `openptx.replay`: round trips, first differences, atomics, and launches that do not end."""

from __future__ import annotations

import struct
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from launches import CHASE, HEAD, SCALE, SUM, changed, number, scaled, summed

import openptx
from openptx.recording import read_recording, write_recording
from openptx.recording.addresses import Relocation
from openptx.recording.file import Region

ENGINES = pytest.mark.parametrize("engine", ["interp", "native"])


@ENGINES
def test_a_round_trip(tmp_path: Path, engine: str) -> None:
    file = tmp_path / "scale.launch"
    recording, y = scaled(file)
    assert y.tolist() == [2.0 * i for i in range(1, 41)]
    assert {r.symbol for r in recording.regions} == {"", "factor", "launches"}
    found = openptx.replay(file, engine=engine)
    assert found.equal, found
    assert (found.kernel, found.differing, found.compared) == ("scale", 0, 2 * 160 + 8)
    assert str(found) == f"{file}: `scale`: all 328 bytes are the GPU's (OpenPTX {openptx.__version__})"


def test_variables_are_as_they_were_recorded(tmp_path: Path) -> None:
    module = openptx.load(SCALE)
    module.get_global("factor")[:] = np.frombuffer(struct.pack("<f", 3.0), np.uint8)
    module.get_global("launches")[0] = 7
    x, y = np.ones(8, np.float32), np.zeros(8, np.float32)
    recording = openptx.record(module["scale"], 1, 8, (x, y, 8), file=tmp_path / "a.launch")
    assert y.tolist() == [3.0] * 8
    assert openptx.replay(tmp_path / "a.launch").equal
    assert openptx.replay(recording).equal
    count = next(r for r in recording.regions if r.symbol == "launches")
    assert (count.before[0], count.after[0]) == (7, 8)


@ENGINES
def test_pointers_in_memory_lead_where_they_led(tmp_path: Path, engine: str) -> None:
    """A list of three nodes: what is reached through memory alone is recorded, and found at other addresses."""
    module = openptx.load(CHASE)
    nodes = [np.zeros(2, np.uint64) for _ in range(3)]
    for node, following in pairwise(nodes):
        node[0] = module.address(following)
    for i, node in enumerate(nodes):
        node[1] = 10**i
    out = np.zeros(1, np.uint32)
    recording = openptx.record(module["chase"], 1, 1, (nodes[0], out), file=tmp_path / "chase.launch")
    assert out[0] == 111
    assert len(recording.regions) == 4
    assert openptx.replay(tmp_path / "chase.launch", engine=engine).equal
    assert openptx.replay(as_on_a_gpu(recording), engine=engine).equal


def as_on_a_gpu(recording: openptx.Recording) -> openptx.Recording:
    """The recording with all allocations in one window of 4 GiB, whose addresses a replay cannot give again."""
    sizes = [(region.address, region.size) for region in recording.regions]
    moved = Relocation(sizes, [0x7F12_3400_0000 + 0x1000 * n for n in range(len(sizes))])
    regions = list[Region]()
    for region in recording.regions:
        contents = region.before.copy(), region.after.copy()
        for content in contents:
            moved.content(region.address, content)
        address = int(moved.words(np.array([region.address], np.uint64))[0])
        regions.append(replace(region, address=address, before=contents[0], after=contents[1]))
    parameters = tuple((offset, moved.parameter(offset, content)) for offset, content in recording.parameters)
    return replace(recording, regions=tuple(regions), parameters=parameters)


def test_numbers_are_not_taken_for_addresses_of_the_driver() -> None:
    """Two words of 32 bits that together are an address of the recorded allocation."""
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    kernel = openptx.load(SCALE)["scale"]
    address = kernel.module.address(x)
    x.view(np.uint64)[5] = address + 8
    recording = openptx.record(kernel, 1, 64, (x, y, 64))
    assert {region.address for region in recording.regions} >= {address}
    assert openptx.replay(recording).equal


def test_the_low_bits_of_addresses_stay(tmp_path: Path) -> None:
    text = (
        HEAD
        + """.visible .entry low(.param .u64 out) {
        .reg .b64 p; .reg .b32 v;
        ld.param.u64 p, [out];
        cvt.u32.u64 v, p;
        st.global.u32 [p], v;
        ret;
    }"""
    )
    out = np.zeros(4, np.uint32)
    recording = openptx.record(openptx.load(text)["low"], 1, 1, (out,))
    base = recording.regions[0].address
    moved = replace(recording.regions[0], address=0x7F12_3456_7800)
    after = moved.after.copy()
    after[:4] = np.frombuffer(struct.pack("<I", 0x3456_7800), np.uint8)
    there = replace(
        recording, regions=(replace(moved, after=after),), parameters=((0, struct.pack("<Q", moved.address)),)
    )
    assert base != moved.address
    assert openptx.replay(there).equal


@ENGINES
def test_the_first_difference_and_who_wrote_it(tmp_path: Path, engine: str) -> None:
    file = tmp_path / "scale.launch"
    recording, _ = scaled(file)
    region = number(recording, 160)
    found = openptx.replay(changed(file, region, 4 * 33, struct.pack("<I", 0x42880003)), engine=engine)
    assert (found.status, found.differing) == ("differs", 1)
    first = found.first
    assert first is not None
    assert (first.region, first.offset, first.element, first.type) == (region, 132, 33, "f32")
    assert (first.gpu, first.here, first.ulps) == (0x42880003, 0x42880000, -3)
    writer = first.writer
    assert writer is not None
    assert (writer.block, writer.thread, writer.text) == ((0, 0, 0), (33, 0, 0), "st.global.b32 [q], v")
    assert writer.line == 1 + SCALE[: SCALE.index("st.global.b32")].count("\n")
    assert [record.text for record in writer.origins][-3:] == ["mul.rn.f32 f, f, g", "mov.b32 v, f", writer.text]
    assert "f=34.0" in str(writer.origins[-3])
    assert "0x42880003  68.00002\n" in str(found)
    assert "0x42880000  68.0  (3 ulps apart)" in str(found)


def test_a_byte_that_the_kernel_does_not_write(tmp_path: Path) -> None:
    file = tmp_path / "scale.launch"
    recording, _ = scaled(file)
    region = next(i for i, r in enumerate(recording.regions) if r.size == 160 and r.before.any())
    found = openptx.replay(changed(file, region, 6, b"\1"))
    assert found.status == "differs"
    assert found.first is not None
    assert (found.first.type, found.first.offset, found.first.writer) == ("b8", 6, None)
    assert "the kernel does not write it here" in str(found)


def test_sums_of_floats_by_atomics_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "sum.launch"
    recording = summed(file)
    out, count = (i for i, r in enumerate(recording.regions) if r.size == 4)
    after = recording.regions[out].after
    other = struct.pack("<I", int.from_bytes(after.tobytes(), "little") + 1)
    found = openptx.replay(changed(file, out, 0, other))
    assert found.status == "order of atomics"
    assert found.first is not None
    assert found.first.writer is not None
    assert (found.first.type, found.first.ulps, found.first.writer.writes) == ("f32", -1, 64)
    assert "the order of atomics is not fixed" in str(found)
    # A count of integers doesn't depend on the order: where it differs as well, the launch does.
    assert openptx.replay(changed(file, count, 0, struct.pack("<I", 63))).status == "differs"


def test_packed_sums_and_swaps_depend_on_their_order_too() -> None:
    from openptx.isa.semantics import atomic_ops
    from openptx.numerics.formats import FORMATS

    half = atomic_ops.float_sum(FORMATS["f16"])
    assert {half, atomic_ops.each(half, 16), atomic_ops.compare_and_swap} <= atomic_ops.ORDERED
    largest = atomic_ops.float_extreme(FORMATS["f16"], True)
    assert not {largest, atomic_ops.each(largest, 16), atomic_ops.add} & atomic_ops.ORDERED


def test_a_launch_that_ends_in_a_fault(tmp_path: Path) -> None:
    """The GPU had memory there, but the recording has not; it says so where the recorder had to leave it out."""
    file = tmp_path / "scale.launch"
    recording, _ = scaled(file)
    region = recording.regions[number(recording, 160)]
    rest = tuple(r for r in recording.regions if r is not region)
    without = replace(recording, regions=rest, left_out=((region.address, region.size),))
    write_recording(without, file)
    found = openptx.replay(file)
    assert found.status == "fault"
    assert isinstance(found.error, openptx.Fault)
    assert f"the recording leaves out the 160 bytes at 0x{region.address:x}" in found.note


def test_unknown_instructions_and_wrong_modules_are_answers(tmp_path: Path) -> None:
    file = tmp_path / "scale.launch"
    scaled(file)
    other = tmp_path / "other.ptx"
    other.write_text(SUM)
    found = openptx.replay(file, ptx=other)
    assert found.status == "unreadable"
    assert "no kernel `scale`" in str(found.error)
    other.write_text(SCALE.replace("factor", "faktor"))
    assert "and the PTX has no such variable" in str(openptx.replay(file, ptx=other).error)
    other.write_text(SCALE.replace(".param .u32 n)", ".param .u32 n, .param .u32 more)"))
    assert "parameter `more` of kernel `scale` is not recorded" in str(openptx.replay(file, ptx=other).error)
    other.write_text(SCALE.replace("mul.rn.f32", "mulk.rn.f32"))
    assert isinstance(openptx.replay(file, ptx=other).error, openptx.CheckError)


def test_the_sanitizer_watches_a_recording(tmp_path: Path) -> None:
    racy = SUM.replace("red.global.add.f32 [q], f;", "st.global.f32 [q], f;")
    x, out, count = np.arange(64, dtype=np.float32), np.zeros(1, np.float32), np.zeros(1, np.uint32)
    file = tmp_path / "racy.launch"
    openptx.record(openptx.load(racy)["total"], 1, 64, (x, out, count), file=file)
    found = openptx.replay(file, sanitize="race")
    assert found.equal
    assert [finding.kind for finding in found.findings] == ["race"]
    assert openptx.replay(file).findings == ()


def test_wrong_options_are_refused(tmp_path: Path) -> None:
    for options in ({"engine": "gpu"}, {"contract": "nvcc"}, {"target": "sm_1"}, {"timeout": -1}, {"sanitize": "x"}):
        with pytest.raises(openptx.ArgumentError):
            openptx.replay(tmp_path / "none.launch", **options)
    texture = openptx.Texture(np.zeros((4, 4), np.float32))
    with pytest.raises(openptx.ArgumentError, match="textures"):
        openptx.record(openptx.load(CHASE)["chase"], 1, 1, (texture, None))


def test_a_fault_while_recording_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(openptx.Fault):
        openptx.record(openptx.load(CHASE)["chase"], 1, 1, (None, None), file=tmp_path / "a.launch")
    assert list(tmp_path.iterdir()) == []


def test_memory_of_the_host_is_recorded(tmp_path: Path) -> None:
    x, y = openptx.memory.allocate(32), openptx.memory.allocate(32)
    openptx.memory.write(x, np.ones(8, np.float32))
    recording = openptx.record(openptx.load(SCALE)["scale"], 1, 8, (x, y, 8), file=tmp_path / "m.launch")
    assert {x.address, y.address} <= {r.address for r in recording.regions}
    openptx.memory.free(x)
    openptx.memory.free(y)
    assert openptx.replay(tmp_path / "m.launch").equal
    assert read_recording(tmp_path / "m.launch").ptx is not None


def test_ptx_for_one_architecture_alone_stays_so(tmp_path: Path) -> None:
    """The GPU that ran `sm_90a` is an sm_90, whose target has fewer instructions."""
    specific = "wgmma.fence.sync.aligned; mov.u32 i, %tid.x;"
    text = SCALE.replace("sm_80", "sm_90a").replace("mov.u32 i, %tid.x;", specific)
    x, y = np.ones(32, np.float32), np.zeros(32, np.float32)
    recording = openptx.record(openptx.load(text)["scale"], 1, 128, (x, y, 32), file=tmp_path / "a.launch")
    found = openptx.replay(replace(recording, target="sm_90"))
    assert found.equal, found
