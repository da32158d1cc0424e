"""The memory accesses of an instruction, from its declaration: the address operand, the size in bytes, the
operation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from openptx.engines.common.operands import source_names, source_position
from openptx.isa.instructions import (
    async_copy,
    async_store,
    atomic,
    matrix_movement,
    mma,
    mma_sparse,
    tensor_multiply,
    wgmma,
    wmma,
)
from openptx.isa.notation.forms import Modifiers
from openptx.program import Imm, Op, Reg, Sink

MATRIX_ROWS = {matrix_movement.ldmatrix: "ld", matrix_movement.stmatrix: "st"}
WMMA = {wmma.load_a: "ld", wmma.load_b: "ld", wmma.load_c: "ld", wmma.store_d: "st"}
ASYNCHRONOUS = frozenset((async_store.st_async, async_store.red_async, async_store.st_bulk))
"""Instructions that the load/store unit's counters do not count."""
MULTIPLICATIONS = frozenset(
    (
        mma.mma, mma_sparse.mma_sp, wmma.mma, wgmma.mma_async, wgmma.mma_async_sp, tensor_multiply.mma,
        tensor_multiply.mma_sp, tensor_multiply.mma_ws, tensor_multiply.mma_ws_sp,
    )
)  # fmt: skip
COUNTED = {"global": "global", "local": "local", "shared": "shared"}
"""Spaces whose accesses go through the load/store unit. Constants and parameters do not, nor do other CTAs' banks."""
REACHED = frozenset((*COUNTED, "generic"))
KINDS = {"load": "ld", "store": "st", "update": "red"}
RETURNS_OLD = frozenset(("exch", "cas"))
"""Atomic operations that stay `atom` even if no instruction reads their result."""


@dataclass(frozen=True, slots=True)
class Access:
    """An access at the address in operand `operand` (its position among the sources) of `size` bytes per lane."""

    space: str
    kind: str
    operand: int
    size: int


@dataclass(frozen=True, slots=True)
class CopyAccess:
    """The global side of a `cp.async`; `limit` is the position of src-size or ignore-src, None without one."""

    operand: int
    size: int
    limit: int | None


@dataclass(frozen=True, slots=True)
class MatrixAccess:
    """Matrices in shared memory: each lane up to `rows` holds the address of a row of 16 bytes."""

    space: str
    kind: str
    operand: int
    rows: int


@dataclass(frozen=True, slots=True)
class FragmentAccess:
    """A `wmma.load` or `.store`: its accesses are the loads and stores of its meaning."""

    kind: str


Accessing = Access | CopyAccess | MatrixAccess | FragmentAccess


def accessing(op: Op, unread: Collection[int]) -> Accessing | None:
    """How an instruction accesses memory through the load/store unit; None if it does not.

    `unread` are the registers among its results that no instruction reads.
    """
    instruction, m = op.form.instruction, op.m
    if instruction in WMMA:
        return FragmentAccess(WMMA[instruction])
    if instruction in MATRIX_ROWS:
        return MatrixAccess(m.space, MATRIX_ROWS[instruction], source_position(op, "p"), rows_of(m))
    if instruction is async_copy.cp_async:
        limit = next((i for i, name in enumerate(source_names(op)) if name in ("src-size", "ignore-src")), None)
        return CopyAccess(source_position(op, "src"), copied(op), limit)
    if not instruction.access or instruction in ASYNCHRONOUS or m.space not in REACHED:
        return None
    return Access(m.space, kind_of(op, unread), source_position(op, "a"), bytes_of(m))


def bytes_of(m: Modifiers) -> int:
    """The number of bytes that a lane accesses."""
    vector = m.values.get("vec")
    return m.type.width * (int(vector[1:]) if vector else 1) // 8


def copied(op: Op) -> int:
    """The constant cp-size of a `cp.async`."""
    names = [t.name for t in op.form.operands]
    size = op.operands[names.index("cp-size")]
    assert isinstance(size, Imm)
    return size.value


def kind_of(op: Op, unread: Collection[int]) -> str:
    """An `atom` whose result is never read is a reduction."""
    instruction = op.form.instruction
    if instruction is not atomic.atom:
        return KINDS[instruction.access]
    result = op.operands[0]
    needless = isinstance(result, Sink) or (isinstance(result, Reg) and result.index in unread)
    return "red" if needless and op.m.values.get("op") not in RETURNS_OLD else "atom"


def rows_of(m: Modifiers) -> int:
    """The rows of all matrices of an ldmatrix or stmatrix."""
    number = int(str(m.values["num"])[1:])
    return number * (16 if m.values.get("shape") == "m16n16" else 8)
