"""`[a].unified`, an address in memory that is the same on every device (manual 9.7.9.8)."""

from __future__ import annotations

from openptx.check.operand.kinds import Kind
from openptx.check.operand.slot import Place
from openptx.check.problems import Path, Problem

_OTHERS = frozenset(
    ("shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry", "param::func")
)


def misused_unified(place: Place, kind: Kind, where: Path) -> Problem | None:
    """The problem of `.unified` after an address. The assembler takes it where an instruction reads global or generic
    memory into a register (measured, ptxas 13.5); the document knows it of `ld` alone."""
    if kind.space != "unified":
        return None
    first = place.form.operands[0]
    known = place.context.follows_ptxas or place.template.suffix == kind.space
    if known and first.role != "address" and len(kind.parts) == 1 and not _OTHERS.intersection(place.m.written):
        return None
    return place.problem(
        "address-form", f"`{place.opcode}` takes no `.unified` address", where, "not allowed here",
        expected="an address `[...]`", actual="one with `.unified`", rule="PTX ISA, ld (9.7.9.8)",
        help="`.unified` is for loads from `.global` and generic addresses: leave it out",
    )  # fmt: skip
