"""Facts of accesses that are known before a kernel runs: strength, scope, sizes; and accesses that cannot be
watched."""

from __future__ import annotations

from collections.abc import Iterable

from openptx.engines.native.instrument.watch import layout
from openptx.isa.instructions import load_store
from openptx.isa.memory_consistency import strong
from openptx.program import Address, Function, Op


def facts_of(op: Op, space: str, width: int, count: int) -> int:
    """Facts of an access of `count` elements of `width` bytes by each lane, without its site.

    Volatile accesses count as weak if they may access shared memory, so that code which relies on lock-step execution
    is checked.
    """
    m = op.m
    volatile = m.values.get("volatile") is True
    found = (width * count).bit_length() - 1 << layout.BYTES
    if not strong(m) or (volatile and space != "global"):
        constant = op.form.instruction is load_store.ld_global_nc
        return found | layout.WEAK | (layout.CONSTANT if constant else 0)
    narrow = m.values.get("scope") in ("cta", "cluster")
    return (
        found | 1 << (layout.SIZE + min(width.bit_length() - 1, 3)) | (layout.NARROW if narrow and not volatile else 0)
    )


def granule_of_shared(functions: Iterable[Function]) -> int:
    """Bytes of a granule of shared memory: 1 if some access may be smaller than 4."""
    narrow = (op for function in functions for op in function.code if op.form.instruction.access and bytes_of(op) < 4)
    return 1 if any(map(may_access_shared, narrow)) else 4


def may_access_shared(op: Op) -> bool:
    """Whether some address of an instruction may be one of shared memory."""
    spaces = (op.form.space_of(t.name, op.m) for t, o in op.operands_by_template() if isinstance(o, Address))
    return any(space in (None, "generic") or space.startswith("shared") for space in spaces)


def bytes_of(op: Op) -> int:
    """The minimum number of bytes that one lane accesses."""
    t, vec = op.m.values.get("type"), op.m.values.get("vec")
    count = int(str(vec)[1:]) if vec else 1
    return op.m.type.width * count // 8 if t else 1
