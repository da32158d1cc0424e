"""Which registers and constants an operand of a given type takes, as the document or as the assembler answers."""

from __future__ import annotations

from openptx.isa.types import FUNDAMENTAL, TYPES, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.kinds import Kind

# Instructions whose `.bX` operands are integers: no floating-point register fits, as the assembler has it.
INTEGER_ONLY = frozenset(("bmsk", "redux.sync", "match", "szext", "elect.sync"))


def agrees(wanted: Type, declared: Type, relaxed: bool, precedent: bool, integer: bool = False) -> bool:
    """Whether a register of type `declared` may stand where the instruction says `wanted`.

    Table 26, or with `relaxed` Tables 27 and 28; non-fundamental types ask for the bit types of Table 9 and 5.2.3.
    `precedent` adds what the assembler takes beyond that.
    """
    if wanted.kind == "pred" or declared.kind == "pred":
        return wanted.kind == declared.kind or (precedent and declared.name == "f16x2")
    if precedent and declared.name == "f16x2" and wanted.width == 32 and wanted.kind in "subx":
        return True
    if wanted.name not in FUNDAMENTAL:
        return declared.name in wanted.registers
    same = declared.width == wanted.width
    wider = relaxed and declared.width > wanted.width
    if wanted.kind == "b":
        return (same or wider) and not (integer and declared.kind == "f")
    if wanted.kind == "f":
        return (same and declared.name == wanted.name) or (declared.kind == "b" and (same or wider))
    return declared.kind in "bsu" and (same or wider)


def registers_for(wanted: Type, relaxed: bool, precedent: bool, integer: bool = False) -> list[str]:
    """The names of the register types that fit, the narrowest first."""
    order = ("f", "s", "u", "b", "pred") if wanted.kind == "f" else ("s", "u", "b", "f", "pred")
    fitting = [
        t for name in FUNDAMENTAL if agrees(wanted, t := TYPES[name], relaxed, precedent, integer) and name != "f16x2"
    ]
    if wanted.name == "f16x2":
        fitting.append(TYPES["f16x2"])
    return [t.name for t in sorted(fitting, key=lambda t: (t.width, order.index(t.kind), t.name))]


def takes_constant(wanted: Type, kind: Kind) -> bool:
    """Whether a constant may stand where the instruction says `wanted` (manual 4.5, 6.4; measured for bit types)."""
    if wanted.kind == "pred":
        return kind.sort == "integer"
    if wanted.name not in FUNDAMENTAL or wanted.count > 1 or wanted.name == "f16":
        return False
    if wanted.kind == "f":
        return kind.sort == "float"
    if kind.sort == "integer":
        return True
    return wanted.kind == "b" and wanted.width == kind.bits
