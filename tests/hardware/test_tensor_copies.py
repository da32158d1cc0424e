"""Copies by the driver's tensor maps, recorded on an H200: interleaved layouts, tf32, `.ftz`, reductions, ends of rows.

A case is a tensor map as `cuTensorMapEncodeTiled` or `...Im2col` is asked for one, coordinates, and what is in memory;
its result is the box in shared memory, or global memory, afterwards.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asked_maps import tensor_map

import openptx
from openptx import memory

FOLDER = Path(__file__).parent / "sm_90-13.0-2026-11-26"
CASES = json.loads((FOLDER / "tensor_copies.json").read_text())["cases"]
BOX = 32768  # bytes of shared memory


@cache
def recorded() -> Any:
    return np.load(FOLDER / "tensor_copies.npz")


def statement(case: dict[str, Any]) -> str:
    """The copy. The kernel does not wait for it, because OpenPTX completes it at once."""
    rank, columns = len(case["at"]), "Im2col" in case["map"]["function"]
    at = ", ".join(f"c{i}" for i in range(rank))
    if case["kind"] == "load":
        offsets = ", {" + ", ".join(f"o{i}" for i in range(rank - 2)) + "}" if columns else ""
        mode = "im2col" if columns else "tile"
        return (f"cp.async.bulk.tensor.{rank}d.shared::cta.global.{mode}.mbarrier::complete_tx::bytes [box], "
                f"[map, {{{at}}}], [bar]{offsets};")  # fmt: skip
    opcode, operation = ("cp", "") if case["kind"] == "store" else ("cp.reduce", f".{case['kind']}")
    mode = "im2col_no_offs" if columns else "tile"
    return f"{opcode}.async.bulk.tensor.{rank}d.global.shared::cta{operation}.{mode}.bulk_group [map, {{{at}}}], [box];"


@cache
def kernel(copy: str) -> Any:
    """A warp brings `given` to the box, its first lane copies, and it writes the box down."""
    places = "".join(f".param .s32 pc{i}, " for i in range(5)) + "".join(f".param .u32 po{i}, " for i in range(3))
    reads = "".join(f"ld.param.s32 c{i}, [pc{i}];" for i in range(5))
    reads += "".join(f"ld.param.u32 n, [po{i}]; cvt.u16.u32 o{i}, n;" for i in range(3))
    return openptx.load(f""".version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .align 64 .b8 pmap[128], {places}.param .u64 pgiven, .param .u64 pback) {{
.reg .b64 map, given, back; .reg .s32 c<5>; .reg .b32 t, n, a, v; .reg .b16 o<3>; .reg .pred p, q;
.shared .align 1024 .b8 box[{BOX}]; .shared .align 8 .b64 bar;
mov.u64 map, pmap; cvta.param.u64 map, map; {reads}
ld.param.u64 given, [pgiven]; ld.param.u64 back, [pback];
mov.u32 t, %tid.x; mul.wide.u32 map, t, 4; add.u64 given, given, map; add.u64 back, back, map;
mov.u64 map, pmap; cvta.param.u64 map, map;
mov.u32 a, box; mad.lo.u32 a, t, 4, a; mov.u32 n, 0;
FILL: ld.global.b32 v, [given]; st.shared.b32 [a], v;
add.u64 given, given, 4096; add.u32 a, a, 4096; add.u32 n, n, 4096; setp.lt.u32 q, n, {BOX}; @q bra FILL;
bar.sync 0; setp.ne.u32 p, t, 0; @p bra DONE;
mbarrier.init.shared.b64 [bar], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 65536;
{copy}
DONE: bar.sync 0; mov.u32 a, box; mad.lo.u32 a, t, 4, a; mov.u32 n, 0;
READ: ld.shared.b32 v, [a]; st.global.b32 [back], v;
add.u64 back, back, 4096; add.u32 a, a, 4096; add.u32 n, n, 4096; setp.lt.u32 q, n, {BOX}; @q bra READ;
ret; }}""")["k"]


def before(case: dict[str, Any], number: int) -> Any:
    """What is in global memory."""
    if "numbers" in case:
        size, count = case["numbers"]
        return np.arange(count // size).astype(f"u{size}").view(np.uint8)
    if "filled" in case:
        value, count = case["filled"]
        return np.full(count, value, np.uint8)
    return recorded()[f"{number}_memory"]


def differs(number: int, case: dict[str, Any], engine: str) -> bool:
    given, back = np.full(BOX, 0xA5, np.uint8), np.zeros(BOX, np.uint8)
    if case["kind"] != "load":
        data = recorded()[f"{number}_data"]
        given[: data.size] = data
    content = before(case, number)
    block = memory.allocate(content.size)
    block.array(np.uint8)[:] = content
    offsets = (*case.get("offsets", ()), 0, 0, 0)[:3]
    arguments = tensor_map(case["map"], block.address), *(*case["at"], 0, 0, 0, 0)[:5], *offsets, given, back
    kernel(statement(case))(1, 1024, arguments, engine=engine)
    found, expected = block.array(np.uint8).copy(), recorded()[f"{number}_result"]
    memory.free(block)
    if case["kind"] != "load":
        return not np.array_equal(found[: expected.size], expected)
    return not np.array_equal(back[: expected.size], expected) or set(back[expected.size :]) > {0xA5}


GROUPS = [
    pytest.param([i for i, _ in group], id=f"{word}-{kind}-{rank}d")
    for (word, kind, rank), group in groupby(
        sorted(enumerate(CASES), key=lambda c: (c[1]["name"].split()[0], c[1]["kind"], len(c[1]["at"]))),
        key=lambda c: (c[1]["name"].split()[0], c[1]["kind"], len(c[1]["at"])),
    )
]


@pytest.mark.parametrize("numbers", GROUPS)
def test_copies(numbers: list[int]) -> None:
    assert [CASES[i]["name"] for i in numbers if differs(i, CASES[i], "interp")] == []


@pytest.mark.parametrize("numbers", GROUPS[::5])
def test_copies_by_machine_code(numbers: list[int]) -> None:
    assert [CASES[i]["name"] for i in numbers[:4] if differs(i, CASES[i], "native")] == []
