"""ldmatrix, stmatrix and movmatrix compared with NumPy by the manual's figures; operands that they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from warp_kernels import ENGINES, HEAD, program, run, run_on_memory

from openptx.errors import Fault


def kernel(body: str, registers: int) -> str:
    """Shared memory from p1 and back to it, registers from p0 and back, for each lane a row's offset from p2."""
    names = ", ".join(f"%r{i}" for i in range(registers))
    return f"""
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)
{{
    .shared .align 16 .b8 s[1024];
    .reg .b32 %r<8>, %lane, %row, %v, %at, %base;
    .reg .b64 %rd<8>;
    .reg .pred %p;
    mov.u32 %lane, %tid.x;
    mov.u32 %base, s;
    ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1]; ld.param.u64 %rd2, [p2];
    mul.wide.u32 %rd3, %lane, 4;
    add.s64 %rd0, %rd0, %rd3; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
    ld.global.u32 %row, [%rd2];
    add.u32 %row, %row, %base;
    shl.b32 %v, %lane, 2; add.u32 %at, %base, %v;
    {" ".join(f"ld.global.u32 %v, [%rd1+{128 * i}]; st.shared.u32 [%at+{128 * i}], %v;" for i in range(8))}
    {" ".join(f"ld.global.u32 %r{i}, [%rd0+{128 * i}];" for i in range(registers))}
    bar.warp.sync -1;
    {body.format("{" + names + "}")}
    bar.warp.sync -1;
    {" ".join(f"st.global.u32 [%rd0+{128 * i}], %r{i};" for i in range(registers))}
    {" ".join(f"ld.shared.u32 %v, [%at+{128 * i}]; st.global.u32 [%rd1+{128 * i}], %v;" for i in range(8))}
    ret;
}}
"""


def memory(rng: np.random.Generator) -> Any:
    return rng.integers(0, 256, 1024, dtype=np.uint8)


def rows(rng: np.random.Generator, used: int) -> Any:
    """Offsets of rows of 16 bytes, in no order; lanes that don't count have ones that are out of everything."""
    offsets = rng.permutation(64)[:32].astype(np.uint32) * np.uint32(16)
    offsets[used:] = 0x0BADBAD1
    return offsets


def moved(body: str, registers: int, shared: Any, offsets: Any, values: Any) -> tuple[Any, Any]:
    arrays = [values, shared.view(np.uint32), offsets]
    d, after, _ = run_on_memory(kernel(body, registers), arrays)
    return d, after.view(np.uint8)


@pytest.mark.parametrize("trans", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix(count: int, trans: bool) -> None:
    rng = np.random.default_rng(count)
    shared, offsets = memory(rng), rows(rng, 8 * count)
    suffix = ".trans" if trans else ""
    body = f"ldmatrix.sync.aligned.m8n8.x{count}{suffix}.shared.b16 {{0}}, [%row];"
    found, _ = moved(body, count, shared, offsets, np.zeros((count, 32), np.uint32))
    for i in range(count):
        matrix = np.array([shared[o : o + 16].view(np.uint16) for o in offsets[8 * i : 8 * i + 8]])
        matrix = matrix.T if trans else matrix
        want = np.ascontiguousarray(matrix).reshape(-1).view(np.uint32)  # four lanes a row, two elements each
        np.testing.assert_array_equal(found[i], want)


def unpacked(row: Any, w: int) -> Any:
    """Sixteen elements of w bits from the start of a row."""
    bits = np.unpackbits(row, bitorder="little")[: 16 * w].reshape(16, w)
    return np.packbits(bits, axis=1, bitorder="little")[:, 0]


@pytest.mark.parametrize(("format", "w"), [("b8x16.b6x16_p32", 6), ("b8x16.b4x16_p64", 4)])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix_small(count: int, format: str, w: int) -> None:
    rng = np.random.default_rng(w)
    shared, offsets = memory(rng), rows(rng, 8 * count)
    body = f"ldmatrix.sync.aligned.m8n16.x{count}.shared.{format} {{0}}, [%row];"
    found, _ = moved(body, count, shared, offsets, np.zeros((count, 32), np.uint32))
    for i in range(count):
        matrix = np.array([unpacked(shared[o : o + 16], w) for o in offsets[8 * i : 8 * i + 8]])
        np.testing.assert_array_equal(found[i], matrix.reshape(-1).view(np.uint32))


@pytest.mark.parametrize(("format", "w"), [("b8", 8), ("b8x16.b6x16_p32", 6), ("b8x16.b4x16_p64", 4)])
@pytest.mark.parametrize("count", [1, 2])
def test_ldmatrix_of_sixteen(count: int, format: str, w: int) -> None:
    rng = np.random.default_rng(w)
    shared, offsets = memory(rng), rows(rng, 16 * count)
    body = f"ldmatrix.sync.aligned.m16n16.x{count}.trans.shared.{format} {{0}}, [%row];"
    found, _ = moved(body, 2 * count, shared, offsets, np.zeros((2 * count, 32), np.uint32))
    for i in range(count):
        matrix = np.array([unpacked(shared[o : o + 16], w) for o in offsets[16 * i : 16 * i + 16]]).T
        words = np.ascontiguousarray(matrix).view(np.uint32)  # sixteen rows of four lanes
        np.testing.assert_array_equal(found[2 * i], words[:8].reshape(-1))
        np.testing.assert_array_equal(found[2 * i + 1], words[8:].reshape(-1))


@pytest.mark.parametrize("trans", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_stmatrix(count: int, trans: bool) -> None:
    rng = np.random.default_rng(count)
    shared, offsets = memory(rng), rows(rng, 8 * count)
    values = rng.integers(0, 1 << 32, (count, 32), dtype=np.uint32)
    suffix = ".trans" if trans else ""
    _, after = moved(
        f"stmatrix.sync.aligned.m8n8.x{count}{suffix}.shared.b16 [%row], {{0}};", count, shared, offsets, values
    )
    want = shared.copy()
    for i in range(count):
        matrix = values[i].view(np.uint16).reshape(8, 8)
        for j, o in enumerate(offsets[8 * i : 8 * i + 8]):
            want[o : o + 16] = np.ascontiguousarray(matrix.T[j] if trans else matrix[j]).view(np.uint8)
    np.testing.assert_array_equal(after, want)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_stmatrix_of_bytes(count: int) -> None:
    rng = np.random.default_rng(count)
    shared, offsets = memory(rng), rows(rng, 8 * count)
    values = rng.integers(0, 1 << 32, (count, 32), dtype=np.uint32)
    _, after = moved(
        f"stmatrix.sync.aligned.m16n8.x{count}.trans.shared.b8 [%row], {{0}};", count, shared, offsets, values
    )
    want = shared.copy()
    for i in range(count):
        for lane in range(32):
            for e in range(4):
                column, row = lane % 4 * 2 + e % 2, lane // 4 + 8 * (e // 2)
                want[offsets[8 * i + column] + row] = values[i, lane] >> 8 * e & 255
    np.testing.assert_array_equal(after, want)


def test_movmatrix() -> None:
    values = np.random.default_rng(0).integers(0, 1 << 32, (1, 32), dtype=np.uint32)
    found = run("movmatrix.sync.aligned.m8n8.trans.b16 %g0_0, %g1_0;", [values], (1, 32))
    matrix = values.view(np.uint16).reshape(8, 8)
    np.testing.assert_array_equal(found[0], np.ascontiguousarray(matrix.T).reshape(-1).view(np.uint32))


@pytest.mark.parametrize("engine", ENGINES)
def test_misaligned_row(engine: str) -> None:
    text = kernel("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {0}, [%row];", 1)
    offsets = np.arange(32, dtype=np.uint32) * np.uint32(16)
    offsets[3] = 4
    arrays = [np.zeros((1, 32), np.uint32), np.zeros(256, np.uint32), offsets]
    with pytest.raises(Fault, match="not a multiple of 16") as caught:
        program(HEAD.format("sm_120a") + text)["k"]((1,), (32,), tuple(arrays), engine=engine)
    assert caught.value.thread == (3, 0, 0)  # which has the address of the row


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("threads", [16, 48])
def test_part_of_a_warp(threads: int, engine: str) -> None:
    """With fewer threads than a warp has the document leaves everything open: that is a fault."""
    text = """
.visible .entry k()
{
    .reg .b32 %d, %a;
    mov.u32 %a, %tid.x;
    movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;
    ret;
}
"""
    with pytest.raises(Fault, match="not executed by all 32 threads"):
        program(HEAD.format("sm_120a") + text)["k"]((1,), (threads,), (), engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_lanes_that_left(engine: str) -> None:
    text = """
.visible .entry k()
{
    .reg .b32 %d, %a;
    .reg .pred %p;
    mov.u32 %a, %tid.x;
    setp.gt.u32 %p, %a, 20;
    @%p ret;
    movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;
    ret;
}
"""
    with pytest.raises(Fault, match="not executed by all 32 threads"):
        program(HEAD.format("sm_120a") + text)["k"]((1,), (32,), (), engine=engine)
