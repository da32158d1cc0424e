"""cp.async.bulk and cp.reduce.async.bulk (9.7.9.25.4): random arrays, compared with the tables of operations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import openptx

SIZE = 1024
Operation = Callable[[Any, Any], Any]
"""From what is in memory and what is sent."""


def wrapped(old: Any, new: Any) -> Any:
    with np.errstate(over="ignore"):
        return old + new


def added(old: Any, new: Any) -> Any:
    """Rounded to nearest even, subnormal results too. Sums of f16 and of bf16 of these sizes are exact in f64."""
    exact, format = old.astype(np.float64) + new.astype(np.float64), ml_dtypes.finfo(old.dtype)
    unit = 2.0 ** (np.maximum(np.frexp(exact)[1] - 1, format.minexp) - format.nmant)
    return (np.rint(exact / unit) * unit).astype(np.float32).astype(old.dtype)


def flushed(old: Any, new: Any) -> Any:
    """Subnormal inputs and results become zeros with their sign."""

    def flush(a: Any) -> Any:
        return np.where(np.abs(a) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), a), a)

    return flush(flush(old) + flush(new)).astype(np.float32)


def incremented(old: Any, new: Any) -> Any:
    return np.where(old >= new, 0, old + 1).astype(old.dtype)


def decremented(old: Any, new: Any) -> Any:
    return np.where((old == 0) | (old > new), new, old - 1).astype(old.dtype)


BITS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
EXTREMES = {"min": np.minimum, "max": np.maximum}
DTYPES = {
    "b32": np.uint32, "u32": np.uint32, "s32": np.int32, "b64": np.uint64, "u64": np.uint64, "s64": np.int64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
EXCHANGED = {"inc": incremented, "dec": decremented}
#    operations            types in .global                               types in .shared::cluster
TABLE: list[tuple[dict[str, Operation], tuple[str, ...], tuple[str, ...]]] = [
    ({"add": wrapped},     ("u32", "s32", "u64"),                         ("u32", "s32", "u64")),
    ({"add": wrapped},     ("f64",),                                      ()),
    ({"add": flushed},     ("f32",),                                      ()),
    ({"add.noftz": added}, ("f16", "bf16"),                               ()),
    (EXTREMES,             ("u32", "s32", "u64", "s64", "f16", "bf16"),   ("u32", "s32")),
    (EXCHANGED,            ("u32",),                                      ("u32",)),
    (BITS,                 ("b32", "b64"),                                ("b32",)),
]  # fmt: skip
"""The table of valid combinations in 9.7.9.25.4.2."""
FORMS = {
    (operation, type, there): does
    for operations, *spaces in TABLE
    for operation, does in operations.items()
    for there, types in zip(("global", "cluster"), spaces, strict=True)
    for type in types
}
MOVES = {
    "global": """cp{reduce}.async.bulk.global.shared::cta.bulk_group{more} [to], [at], size{operand};
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;""",
    "cluster": """mbarrier.arrive.expect_tx.shared.b64 state, [bar], size;
cp{reduce}.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes{more} [place], [at], size, [far];
SENT: mbarrier.try_wait.shared.b64 p, [bar], state; @!p bra SENT;""",
}


@cache
def kernel(there: str, reduce: str, more: str, operand: str) -> Any:
    """Sends `size` bytes of `given`, from `first` on, to those of `memory`, or of its copy in the cluster's memory."""
    move = MOVES[there].format(reduce=reduce, more=more, operand=operand)
    return openptx.load(f""".version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 pmemory, .param .u64 pgiven, .param .u32 pfirst, .param .u32 psize, .param .u32 pmask) {{
.shared .align 16 .b8 box[{SIZE}], other[{SIZE}]; .shared .align 8 .b64 bar;
.reg .b64 to, from, wide, state; .reg .b32 first, size, place, at, far, n; .reg .b16 mask; .reg .pred p;
ld.param.u64 to, [pmemory]; ld.param.u64 from, [pgiven]; ld.param.u32 first, [pfirst]; ld.param.u32 size, [psize];
ld.param.u32 n, [pmask]; cvt.u16.u32 mask, n;
mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 state, [bar], {2 * SIZE};
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [box], [from], {SIZE}, [bar];
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [other], [to], {SIZE}, [bar];
READY: mbarrier.try_wait.shared.b64 p, [bar], state; @!p bra READY;
mov.u32 at, box; add.u32 at, at, first; mov.u32 place, other; mapa.shared::cluster.u32 n, place, 0;
add.u32 place, n, first; mov.u32 far, bar; mapa.shared::cluster.u32 far, far, 0;
cvt.u64.u32 wide, first; add.u64 to, to, wide;
{move}
{
        ""
        if there == "global"
        else f'''sub.u64 to, to, wide;
cp.async.bulk.global.shared::cta.bulk_group [to], [other], {SIZE};
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;'''
    }
ret; }}""")["k"]


def values(rng: np.random.Generator, type: str, operation: str) -> Any:
    """Any bits, but numbers whose sums and order the manual gives: no NaN, and no zeros of both signs."""
    dtype = np.dtype(DTYPES[type])
    count = SIZE // dtype.itemsize
    found = rng.integers(0, 256, SIZE, dtype=np.uint8).view(dtype)
    if dtype.kind in "ui":
        few = rng.integers(0, 4, count).astype(dtype)
        return np.where(rng.random(count) < 0.5, few, found) if operation in ("inc", "dec") else found
    if operation.startswith("add"):
        numbers = rng.normal(size=count) * 2.0 ** rng.integers(-12, 3, count)
        small = rng.random(count) < 0.3
        numbers[small] *= float(ml_dtypes.finfo(dtype).tiny) * (16 if type != "f64" else 1)
        return numbers.astype(dtype)
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(found) & (found != 0), found, dtype.type(1)).astype(dtype)


def check(there: str, reduce: str, more: str, does: Operation, old: Any, new: Any, mask: int | None = None) -> None:
    rng = np.random.default_rng(old.nbytes)
    for engine in ("interp", "native"):
        first = int(rng.integers(0, 8)) * 16
        size = int(rng.integers(1, (SIZE - first) // 16 + 1)) * 16
        part = slice(first // old.itemsize, (first + size) // old.itemsize)
        memory, expected = old.copy(), old.copy()
        expected[part] = does(old[part], new[part])
        program = kernel(there, reduce, more, ", mask" if mask is not None else "")
        program(1, 1, (memory.view(np.uint8), new.view(np.uint8), first, size, mask or 0), engine=engine)
        np.testing.assert_array_equal(memory.view(np.uint8), expected.view(np.uint8), f"{there} {more} {engine}")


@pytest.mark.parametrize(("operation", "type", "there"), FORMS)
def test_reductions(operation: str, type: str, there: str) -> None:
    rng = np.random.default_rng(len(operation) + len(type))
    old, new = (values(rng, type, operation) for _ in "ab")
    check(there, ".reduce", f".{operation}.{type}", FORMS[operation, type, there], old, new)


@pytest.mark.parametrize("there", MOVES)
def test_copies(there: str) -> None:
    old, new = np.random.default_rng(1).integers(0, 256, (2, SIZE), dtype=np.uint8)
    check(there, "", "", lambda old, new: new, old, new)


def test_masked_copies() -> None:
    """Bit i of the mask is for byte i of each sixteen."""
    rng = np.random.default_rng(2)
    old, new = rng.integers(0, 256, (2, SIZE), dtype=np.uint8)
    for mask in (0, 0xFFFF, *rng.integers(0, 1 << 16, 4).tolist()):
        chosen = np.array([mask >> i & 1 for i in range(16)], bool)
        check("global", "", ".cp_mask", lambda o, n, c=chosen: np.where(np.resize(c, len(o)), n, o), old, new, mask)
