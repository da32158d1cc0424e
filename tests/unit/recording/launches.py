"""Kernels for the tests of recordings, and recordings modified as a GPU's would differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import openptx
from openptx.recording import Recording, read_recording, write_recording

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
SCALE = (
    HEAD
    + """
.global .align 4 .u32 launches = 0;
.const .align 4 .f32 factor = 0f40000000;
.visible .entry scale(.param .u64 x, .param .u64 y, .param .u32 n) {
    .reg .b64 p, q; .reg .b32 i, k, v, one; .reg .f32 f, g; .reg .pred c;
    ld.param.u64 p, [x];
    ld.param.u64 q, [y];
    ld.param.u32 k, [n];
    mov.u32 i, %tid.x;
    setp.ge.u32 c, i, k;
    @c bra done;
    mad.wide.u32 p, i, 4, p;
    mad.wide.u32 q, i, 4, q;
    ld.global.f32 f, [p];
    ld.const.f32 g, [factor];
    mul.rn.f32 f, f, g;
    mov.b32 v, f;
    st.global.b32 [q], v;
    setp.ne.u32 c, i, 0;
    @c bra done;
    mov.u32 one, 1;
    red.global.add.u32 [launches], one;
done:
    ret;
}
"""
)
CHASE = (
    HEAD
    + """.visible .entry chase(.param .u64 list, .param .u64 out) {
    .reg .b64 p, q; .reg .b32 sum, v; .reg .pred c;
    ld.param.u64 p, [list];
    ld.param.u64 q, [out];
    mov.u32 sum, 0;
loop:
    ld.global.u32 v, [p+8];
    add.u32 sum, sum, v;
    ld.global.u64 p, [p];
    setp.ne.u64 c, p, 0;
    @c bra loop;
    st.global.u32 [q], sum;
    ret;
}
"""
)
SUM = (
    HEAD
    + """.visible .entry total(.param .u64 x, .param .u64 out, .param .u64 count) {
    .reg .b64 p, q, r; .reg .b32 i, one; .reg .f32 f;
    ld.param.u64 p, [x];
    ld.param.u64 q, [out];
    ld.param.u64 r, [count];
    mov.u32 i, %tid.x;
    mad.wide.u32 p, i, 4, p;
    ld.global.f32 f, [p];
    red.global.add.f32 [q], f;
    mov.u32 one, 1;
    red.global.add.u32 [r], one;
    ret;
}
"""
)


def scaled(file: Path, count: int = 40) -> tuple[Recording, NDArray[Any]]:
    """A recording of `scale`, and what the kernel made."""
    x, y = np.arange(1, count + 1, dtype=np.float32), np.zeros(count, np.float32)
    return openptx.record(openptx.load(SCALE)["scale"], 1, 64, (x, y, count), file=file), y


def summed(file: Path) -> Recording:
    """A recording of `total`, which adds floats and counts by atomics."""
    x = np.geomspace(1e-3, 1e3, 64, dtype=np.float32)
    out, count = np.zeros(1, np.float32), np.zeros(1, np.uint32)
    return openptx.record(openptx.load(SUM)["total"], 1, 64, (x, out, count), file=file)


def changed(file: Path, region: int, offset: int, content: bytes) -> Path:
    """The recording in a file, as if the GPU had left other bytes there."""
    recording = read_recording(file)
    regions = list(recording.regions)
    after = regions[region].after.copy()
    after[offset : offset + len(content)] = np.frombuffer(content, np.uint8)
    regions[region] = replace(regions[region], after=after)
    write_recording(replace(recording, regions=tuple(regions)), file)
    return file


def number(recording: Recording, size: int) -> int:
    """The changed allocation of this many bytes."""
    found = [i for i, r in enumerate(recording.regions) if r.size == size and not np.array_equal(r.before, r.after)]
    assert len(found) == 1
    return found[0]
