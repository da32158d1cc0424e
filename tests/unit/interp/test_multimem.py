"""multimem with one device on both engines, compared with NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import ml_dtypes
import numpy as np
import pytest

import openptx

LANES = 32
DTYPES = {
    "b32": np.uint32, "u32": np.uint32, "s32": np.int32, "b64": np.uint64, "u64": np.uint64, "s64": np.int64,
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
    "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2,
}  # fmt: skip
DOES = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "inc": lambda old, b: np.where(old >= b, 0, old + 1),
    "dec": lambda old, b: np.where((old == 0) | (old > b), b, old - 1),
}  # fmt: skip
INTEGERS, HALVES, SMALL = ("u32", "u64", "s32", "s64"), ("f16", "bf16"), ("e5m2", "e4m3")
PAIRS, FOURS = tuple(f"{t}x2" for t in HALVES), tuple(f"{t}x4" for t in SMALL)

# fmt: off
REDUCED = [
    # operations          types                            vectors             precision
    (("and", "or", "xor"), ("b32", "b64"),                 ("",),              ""),
    (("min", "max"),       INTEGERS,                       ("",),              ""),
    (("add",),             ("u32", "u64", "s32", "f64"),   ("",),              ""),
    (("add",),             ("f32",),                       ("", ".v2", ".v4"), ""),
    (("min", "max"),       PAIRS,                          ("", ".v2", ".v4"), ""),
    (("add",),             PAIRS,                          ("", ".v2", ".v4"), ".acc::f32"),
    (("min", "max"),       HALVES,                         (".v2", ".v8"),     ""),
    (("add",),             HALVES,                         (".v4", ".v8"),     ".acc::f32"),
    (("min", "max"),       FOURS,                          ("", ".v4"),        ""),
    (("add",),             FOURS,                          ("", ".v2"),        ".acc::f16"),
    (("min", "max"),       ("e5m2x2", "e4m3x2"),           (".v2", ".v8"),     ""),
    (("add",),             ("e5m2x2", "e4m3x2"),           (".v4",),           ".acc::f16"),
    (("min", "max"),       SMALL,                          (".v4", ".v8"),     ""),
    (("add",),             SMALL,                          (".v8",),           ".acc::f16"),
]
# fmt: on
STORED = [
    *((t, v) for t in ("b32", "b64", "u32", "u64", "s32", "s64", "f64") for v in ("",)),
    *((t, v) for t in ("f32", *PAIRS, *FOURS) for v in ("", ".v2", ".v4")),
    *((t, v) for t in (*HALVES, "e5m2x2", "e4m3x2") for v in (".v2", ".v8")),
    *((t, v) for t in SMALL for v in (".v4", ".v8")),
]


def element(type: str) -> tuple[np.dtype, int]:
    """The dtype of a type's elements, and how many there are in a register."""
    name, _, count = type.rpartition("x") if type[-2] == "x" else (type, "", "1")
    return np.dtype(DTYPES[name]), int(count)


def width(type: str) -> int:
    dtype, count = element(type)
    return 8 * dtype.itemsize * count


def values(type: str, vector: str, seed: int) -> np.ndarray:
    """Small integers, which are exact in all formats but one, for every lane."""
    dtype, count = element(type)
    count *= int(vector[2:] or 1)
    return np.random.default_rng(seed).integers(0, 8, (LANES, count)).astype(dtype)


def run(type: str, vector: str, statement: str, memory: np.ndarray, given: np.ndarray) -> list[np.ndarray]:
    """What the kernel leaves in `memory` and in `given`, whose elements are in `d` before and after the statement."""
    w, n = width(type), int(vector[2:] or 1)
    names = [f"r{i}" for i in range(n)]
    parts = [(names[i : i + 4], i * w // 8) for i in range(0, n, 4)]

    def moved(op: str) -> str:
        lists = [(f"{{{', '.join(some)}}}" if len(some) > 1 else some[0], at, len(some)) for some, at in parts]
        vec = [f".v{count}" if count > 1 else "" for _, _, count in lists]
        order = "{0}, [y+{1}]" if op == "ld" else "[y+{1}], {0}"
        return " ".join(
            f"{op}.global{v}.b{w} {order.format(some, at)};" for (some, at, _), v in zip(lists, vec, strict=True)
        )

    d = f"{{{', '.join(names)}}}" if vector else "r0"
    text = f""".version 8.6\n.target sm_100a\n.address_size 64
.visible .entry k(.param .u64 px, .param .u64 py) {{
.reg .b64 x, y, at; .reg .b32 t; .reg .b{w} {", ".join(names)}; mov.u32 t, %tid.x; mul.wide.u32 at, t, {w * n // 8};
ld.param.u64 x, [px]; ld.param.u64 y, [py]; add.s64 x, x, at; add.s64 y, y, at;
{moved("ld")} {statement.format(d=d)} {moved("st")} ret; }}"""
    found = []
    for engine in ("interp", "native"):
        a, b = memory.copy(), given.copy()
        openptx.load(text)["k"](1, LANES, (a.view(np.uint8), b.view(np.uint8)), engine=engine)
        found.append((a.tobytes(), b.tobytes()))
    assert found[0] == found[1]
    return [a, b]


def some(*columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Rows in which each entry of each column stands at least once."""
    for i in range(max(map(len, columns))):
        yield tuple(column[i % len(column)] for column in columns)


@pytest.mark.parametrize(("operations", "types", "vectors", "precision"), REDUCED)
def test_what_is_loaded_is_what_memory_holds(operations, types, vectors, precision) -> None:
    for i, (operation, type, vector) in enumerate(some(operations, types, vectors)):
        memory, given = values(type, vector, i), values(type, vector, i + 1)
        for semantics in ("", ".weak", ".acquire.sys") if i == 0 else ("",):
            for more in {"", precision}:
                opcode = f"multimem.ld_reduce{semantics}.global.{operation}{more}{vector}.{type}"
                after, loaded = run(type, vector, f"{opcode} {{d}}, [x];", memory, given)
                assert loaded.tobytes() == after.tobytes() == memory.tobytes(), opcode


@pytest.mark.parametrize(
    ("type", "vector", "semantics"),
    [
        pytest.param(*form, semantics, marks=[pytest.mark.sweep] if (i + j) % 2 else [])
        for i, form in enumerate(STORED)
        for j, semantics in enumerate(("", ".weak.global"))
    ],
)
def test_what_is_stored_is_in_memory(type: str, vector: str, semantics: str) -> None:
    memory, given = values(type, vector, 1), values(type, vector, 2)
    after, _ = run(type, vector, f"multimem.st{semantics}{vector}.{type} [x], {{d}};", memory, given)
    assert after.tobytes() == given.tobytes()


@pytest.mark.parametrize(("operations", "types", "vectors", "precision"), [*REDUCED[:5], *REDUCED[6:7]])
def test_memory_is_reduced(operations, types, vectors, precision) -> None:
    vectors = [v for v in vectors if v or types is not PAIRS]
    for i, (operation, type, vector) in enumerate((o, t, v) for o in operations for t in types for v in vectors):
        memory, given = values(type, vector, i), values(type, vector, i + 1)
        opcode = f"multimem.red.release.gpu.global.{operation}{vector}.{type}"
        after, _ = run(type, vector, f"{opcode} [x], {{d}};", memory, given)
        np.testing.assert_array_equal(after, DOES[operation](memory, given).astype(memory.dtype), opcode)


@pytest.mark.parametrize(("type", "vector"), [(t, v) for t in (*PAIRS, *HALVES) for v in (".v2", ".v4")])
def test_halves_are_added(type: str, vector: str) -> None:
    memory, given = values(type, vector, 1), values(type, vector, 2)
    after, _ = run(type, vector, f"multimem.red.add{vector}.{type} [x], {{d}};", memory, given)
    np.testing.assert_array_equal(after, memory + given)


COPIED = """.version 9.1\n.target sm_100a\n.address_size 64
.visible .entry k(.param .u64 px, .param .u64 py, .param .u32 ps) {{
.reg .b64 x, y; .reg .b32 size; .reg .b16 mask; .shared .align 16 .b8 box[1024]; .shared .align 8 .b64 bar;
ld.param.u64 x, [px]; ld.param.u64 y, [py]; ld.param.u32 size, [ps]; mov.b16 mask, 0x0f31;
mbarrier.init.shared.b64 [bar], 1;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [box], [y], 1024, [bar];
{statement} cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }}"""


def copied(statement: str, memory: np.ndarray, given: np.ndarray) -> np.ndarray:
    found = []
    for engine in ("interp", "native"):
        after = memory.copy()
        k = openptx.load(COPIED.format(statement=statement))["k"]
        k(1, 1, (after.view(np.uint8), given.view(np.uint8), 512), engine=engine)
        found.append(after)
    assert found[0].tobytes() == found[1].tobytes()
    return found[0]


def test_bytes_are_copied() -> None:
    memory, given = np.full(1024, 7, np.uint8), np.arange(1024).astype(np.uint8)
    after = copied("multimem.cp.async.bulk.global.shared::cta.bulk_group [x], [box], size;", memory, given)
    np.testing.assert_array_equal(after, np.concatenate((given[:512], memory[512:])))
    masked = "multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [x], [box], size, mask;"
    chosen = np.arange(1024) < 512
    chosen &= (0x0F31 >> np.arange(1024) % 16 & 1).astype(bool)
    np.testing.assert_array_equal(copied(masked, memory, given), np.where(chosen, given, memory))


BULK = [
    (("and", "or", "xor"), ("b32", "b64"), ""),
    (("add",), ("u32", "s32", "u64", "f32", "f64"), ""),
    (("inc", "dec"), ("u32",), ""),
    (("min", "max"), ("u32", "s32", "u64", "s64", *HALVES), ""),
    (("add",), HALVES, ".noftz"),
]


@pytest.mark.parametrize(("operations", "types", "more"), BULK)
def test_shared_memory_is_reduced_into_memory(operations, types, more) -> None:
    for operation, type in ((o, t) for o in operations for t in types):
        dtype, _ = element(type)
        n = 1024 // dtype.itemsize
        memory, given = (np.random.default_rng(i).integers(0, 8, n).astype(dtype) for i in (1, 2))
        opcode = f"multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation}{more}.{type}"
        after = copied(f"{opcode} [x], [box], size;", memory, given)
        expected = np.where(np.arange(n) < n // 2, DOES[operation](memory, given).astype(dtype), memory)
        np.testing.assert_array_equal(after, expected, opcode)
