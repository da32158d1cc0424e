"""Exchange between the lanes of a warp, by the manual's words, with random operands and masks.

shfl.sync (9.7.9.6), vote.sync (9.7.13.9), match.sync (9.7.13.10), redux.sync (9.7.13.12), elect.sync (9.7.13.14).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np
import pytest

import openptx

WARPS = 96
"""A block each: one launch tries as many masks."""

Operands = list[int]
Result = tuple[int, int]
"""d and p; what an instruction does not have is 0."""
Model = Callable[[int, Operands, list[int]], Result]
"""From a lane, operand a of all lanes, and the lanes of the mask."""


def kernel(instruction: str, bits: int) -> str:
    return f""".version 8.8
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pbc, .param .u64 pmask, .param .u64 pd) {{
    .reg .b64 u, at;
    .reg .b{bits} a;
    .reg .b32 b, c, d, mask, lane, n;
    .reg .pred p, q, member;
    mov.u32 lane, %tid.x; mov.u32 n, %ctaid.x; mad.lo.u32 n, n, 32, lane;
    ld.param.u64 u, [pa]; mad.wide.u32 at, n, 8, u; ld.global.b{bits} a, [at]; setp.ne.b{bits} q, a, 0;
    ld.param.u64 u, [pbc]; mad.wide.u32 at, n, 8, u; ld.global.v2.b32 {{b, c}}, [at];
    ld.param.u64 u, [pmask]; mov.u32 d, %ctaid.x; mad.wide.u32 at, d, 4, u; ld.global.b32 mask, [at];
    shr.u32 d, mask, lane; and.b32 d, d, 1; setp.ne.u32 member, d, 0;
    mov.b32 d, 0; setp.ne.u32 p, d, 0;
    @member {instruction}
    ld.param.u64 u, [pd]; mad.wide.u32 at, n, 8, u;
    selp.b32 c, 1, 0, p; st.global.v2.b32 [at], {{d, c}};
    ret;
}}
"""


def check(instruction: str, a: np.ndarray, masks: np.ndarray, expected: np.ndarray, bits: int = 32, bc=None) -> None:
    bc = np.zeros((WARPS, 32, 2), np.uint32) if bc is None else bc
    program = openptx.load(kernel(instruction, bits))
    for engine in ("interp", "native"):
        found = np.zeros((WARPS, 32, 2), np.uint32)
        program["k"](WARPS, 32, (a.astype(np.uint64), bc, masks, found), engine=engine)
        np.testing.assert_array_equal(found, expected, engine)


def some_masks(rng: np.random.Generator) -> np.ndarray:
    """All lanes, one lane, few, most."""
    words = rng.integers(1, 1 << 32, (3, WARPS), dtype=np.uint32)
    sparse, dense = words[0] & words[1] & words[2], words[0] | words[1] | words[2]
    single = np.uint32(1) << rng.integers(0, 32, WARPS, dtype=np.uint32)
    masks = np.choose(np.arange(WARPS) % 5, [np.uint32(0xFFFFFFFF), words[0], sparse, dense, single])
    return np.where(masks, masks, single).astype(np.uint32)


def members(mask: int) -> list[int]:
    return [lane for lane in range(32) if mask >> lane & 1]


def bits_of(lanes: list[int]) -> int:
    return sum(1 << lane for lane in lanes)


def source(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """The pseudocode of shfl.sync: the source lane j, and pval."""
    bval, cval, segmask = b & 31, c & 31, c >> 8 & 31
    max_lane, min_lane = lane & segmask | cval & ~segmask, lane & segmask
    match mode:
        case "up":
            j = lane - bval
            return (j, True) if j >= max_lane else (lane, False)
        case "down":
            j = lane + bval
        case "bfly":
            j = lane ^ bval
        case _:
            j = min_lane | bval & ~segmask
    return (j, True) if j <= max_lane else (lane, False)


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
def test_shfl(mode: str) -> None:
    """Sources that are not in the mask would give anything: such lanes read themselves."""
    rng = np.random.default_rng(1)
    a, masks = rng.integers(0, 1 << 32, (WARPS, 32), dtype=np.uint32), some_masks(rng)
    bc = rng.integers(0, 1 << 32, (WARPS, 32, 2), dtype=np.uint32)
    bc[::2, :, 1] = {"up": 0}.get(mode, 0x1F) | rng.choice([0, 0x1000, 0x1800, 0x1C00, 0x1E00, 0x1F00], (WARPS // 2, 1))
    expected = np.zeros((WARPS, 32, 2), np.uint32)
    for warp, lanes in enumerate(map(members, masks.tolist())):
        for lane in lanes:
            if source(mode, lane, *bc[warp, lane].tolist())[0] not in lanes:
                bc[warp, lane] = lane if mode == "idx" else 0, 0x1F * (mode != "up")
            j, pval = source(mode, lane, *bc[warp, lane].tolist())
            expected[warp, lane] = a[warp, j], pval
    check(f"shfl.sync.{mode}.b32 d|p, a, b, c, mask;", a, masks, expected, bc=bc)


def ballot(lane: int, a: Operands, lanes: list[int]) -> Result:
    return bits_of([i for i in lanes if a[i]]), 0


def match_any(lane: int, a: Operands, lanes: list[int]) -> Result:
    return bits_of([i for i in lanes if a[i] == a[lane]]), 0


def match_all(lane: int, a: Operands, lanes: list[int]) -> Result:
    return (bits_of(lanes), 1) if len({a[i] for i in lanes}) == 1 else (0, 0)


FEW: dict[str, Model] = {
    "vote.sync.all.pred p, q, mask;": lambda lane, a, lanes: (0, all(a[i] for i in lanes)),
    "vote.sync.any.pred p, !q, mask;": lambda lane, a, lanes: (0, any(not a[i] for i in lanes)),
    "vote.sync.uni.pred p, q, mask;": lambda lane, a, lanes: (0, len({bool(a[i]) for i in lanes}) == 1),
    "vote.sync.ballot.b32 d, q, mask;": ballot,
    "match.any.sync.b32 d, a, mask;": match_any,
    "match.any.sync.b64 d, a, mask;": match_any,
    "match.all.sync.b32 d|p, a, mask;": match_all,
    "match.all.sync.b64 d|p, a, mask;": match_all,
}
"""Of few different values."""


@pytest.mark.parametrize("instruction", FEW)
def test_lanes_that_agree(instruction: str) -> None:
    rng = np.random.default_rng(2)
    wide = ".b64" in instruction
    values = np.array([0, 1, 1 << 32, 1 << 32 | 1], np.uint64)[slice(None) if wide else slice(2)]
    a = rng.choice(values, (WARPS, 32))
    a[1::3] = a[1::3, :1]
    compare(instruction, FEW[instruction], a, some_masks(rng), 64 if wide else 32)


def signed(word: int) -> int:
    return word - (word >> 31 << 32)


def folded(does: Callable[[int, int], int], read: Callable[[int], int] = int) -> Model:
    return lambda lane, a, lanes: (reduce(does, (read(a[i]) for i in lanes)) & 0xFFFFFFFF, 0)


REDUCED: dict[str, Model] = {
    "redux.sync.add.u32": folded(lambda m, n: m + n),
    "redux.sync.add.s32": folded(lambda m, n: m + n, signed),
    "redux.sync.min.u32": folded(min),
    "redux.sync.max.u32": folded(max),
    "redux.sync.min.s32": folded(min, signed),
    "redux.sync.max.s32": folded(max, signed),
    "redux.sync.and.b32": folded(lambda m, n: m & n),
    "redux.sync.or.b32": folded(lambda m, n: m | n),
    "redux.sync.xor.b32": folded(lambda m, n: m ^ n),
}


@pytest.mark.parametrize("opcode", REDUCED)
def test_redux(opcode: str) -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(0, 1 << 32, (WARPS, 32), dtype=np.uint32)
    a[::4] = rng.choice([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], (WARPS // 4, 32))
    compare(f"{opcode} d, a, mask;", REDUCED[opcode], a, some_masks(rng))


NAN = 0x7FFFFFFF


def is_nan(word: int) -> bool:
    return word & 0x7FFFFFFF > 0x7F800000


def order(word: int) -> int:
    """Of f32 by their bits: -0.0 is less than +0.0."""
    return -(word & 0x7FFFFFFF) - 1 if word >> 31 else word


@pytest.mark.parametrize("nan", ["", ".NaN"])
@pytest.mark.parametrize("abs", ["", ".abs"])
@pytest.mark.parametrize("operation", ["min", "max"])
def test_redux_f32(operation: str, abs: str, nan: str) -> None:
    def model(lane: int, a: Operands, lanes: list[int]) -> Result:
        inputs = [a[i] & 0x7FFFFFFF if abs else a[i] for i in lanes]
        numbers = [word for word in inputs if not is_nan(word)]
        if not numbers or (nan and len(numbers) < len(inputs)):
            return NAN, 0
        return (min if operation == "min" else max)(numbers, key=order), 0

    rng = np.random.default_rng(4)
    a = rng.integers(0, 1 << 32, (WARPS, 32), dtype=np.uint32)
    special = [0, 1 << 31, 1, 0x80000001, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFFFFFFF, 0x7F800001]
    a[::3] = rng.choice(special, (WARPS // 3, 32))
    a[1::6] = rng.choice([0x7FC00000, 0xFFC12345], (WARPS // 6, 32))
    compare(f"redux.sync.{operation}{abs}{nan}.f32 d, a, mask;", model, a, some_masks(rng))


def elected(lane: int, a: Operands, lanes: list[int]) -> Result:
    """The manual leaves open which one is elected; hardware elects the first."""
    return lanes[0], lane == lanes[0]


def test_elect() -> None:
    compare("elect.sync d|p, mask;", elected, np.zeros((WARPS, 32), np.uint32), some_masks(np.random.default_rng(5)))


def compare(instruction: str, model: Model, a: np.ndarray, masks: np.ndarray, bits: int = 32) -> None:
    expected = np.zeros((WARPS, 32, 2), np.uint32)
    for warp, lanes in enumerate(map(members, masks.tolist())):
        operands = a[warp].tolist()
        for lane in lanes:
            expected[warp, lane] = model(lane, operands, lanes)
    check(instruction, a, masks, expected, bits)
