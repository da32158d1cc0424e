"""Checks elements of arrays as operands, `a[i]` (manual 6.4.2): the array and its index."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.problems import Path, Problem

_INSTEAD = {
    kinds.REGISTER: "an address in a register has its offset inside the brackets: `[%rd1+4]`, `[%rd1+-4]`",
    kinds.VECTOR: "a component of a vector register is named: `.x`, `.y`, `.z` or `.w`",
}


def judge_element(kind: Kind, where: Path) -> Iterator[Problem]:
    """The problems of an array element."""
    base, index = kind.parts
    if base.sort == kinds.NAME:
        yield Problem("unknown-name", "`{}` is not declared", where, "no such name here")
    elif kind.type is None:
        yield Problem(
            "not-an-array", "`{}` indexes something that is not an array", where, "no array",
            expected="a variable with dimensions", actual=base.text,
            help=_INSTEAD.get(base.sort),
        )  # fmt: skip
    elif index.sort == kinds.NAME or (index.sort == kinds.SUM and index.parts[0].sort == kinds.NAME):
        yield Problem("unknown-name", "the index of `{}` is not declared", where, "no such name here")
    elif not _indexes(index.parts[0] if index.sort == kinds.SUM else index):
        yield Problem(
            "address-form", "an index must be an integer constant or an integer register", where,
            f"indexed by {index.text}",
            expected="an integer", actual=index.text, rule="PTX ISA, Arrays as Operands (6.4.2)",
        )  # fmt: skip
    elif index.sort == kinds.INTEGER and kind.room == 0:
        yield Problem("index-out-of-bounds", "`{}` is beyond the end of the array", where, "out of bounds")


def _indexes(index: Kind) -> bool:
    if index.sort == kinds.REGISTER and index.type is not None:
        return index.type.kind in "bsu" and index.type.width <= 64
    return index.sort in (kinds.INTEGER, kinds.VARIABLE)
