"""Rules of loads, stores and atomics beyond their forms: widths, and where the assembler crashes."""

from __future__ import annotations

from openptx.check.operand import kinds
from openptx.check.problems import Problem, rewrite
from openptx.diagnostics import SAFE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.context import Context
    from openptx.check.operand.kinds import Kind
    from openptx.isa.notation.forms import Form, Modifiers
    from openptx.isa.types import Type

_RULE = "PTX ISA, Vectors as Operands (6.4.3)"


def judge_load(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """Rules of `ld`, `ldu` and `st`."""
    if m.values.get("type") is None:  # `st.bulk`
        return
    vec = m.values.get("vec")
    count = int(vec[1:]) if isinstance(vec, str) else 1
    if count > 1 and m.written[-2:] != (vec, m.type.name):
        yield _displaced(form, m, str(vec), context)
    bits = count * m.type.width
    if count > 1 and (m.type.width == 128 or bits > 256):
        yield Problem(
            "vector-length",
            f"`.{vec}.{m.type.name}` is {bits} bits, more than an access has",
            label="too wide",
            expected="at most 128 bits, or 256 as `.v4` of 64 or `.v8` of 32",
            actual=f"{bits} bits",
            rule=_RULE,
        )
    elif bits == 256 and m.values.get("space") != "global" and not (context.follows_ptxas and _generic(m)):
        yield Problem(
            "state-space",
            f"256 bits at once are accessed in `.global` alone, and `{m}` says {_space(m)}",
            label="add `.global`",
            expected=".global",
            actual=_space(m),
            rule="PTX ISA, ld and st: .vec",
        )
    elif context.follows_ptxas:
        yield from _crashes(form, m, operands, context, count)


def _displaced(form: Form, m: Modifiers, vec: str, context: Context) -> Problem:
    """`.v2` stands right before the type; elsewhere the assembler takes it with a warning."""
    others = [modifier for modifier in m.written if modifier not in (vec, m.type.name)]
    fixed = ".".join((form.instruction.mnemonic, *others, vec, m.type.name))
    return Problem(
        "displaced-vector" if context.follows_ptxas else "modifier-order",
        f"`.{vec}` stands before the type",
        label="elsewhere here",
        expected=fixed,
        actual=repr(m),
        rule="PTX ISA, ld and st: syntax",
        help=f"write `{fixed}`",
        repair=rewrite(fixed, SAFE),
    )


def _generic(m: Modifiers) -> bool:
    return m.values.get("space") in (None, "generic")


def _space(m: Modifiers) -> str:
    return "generic" if _generic(m) else f"`.{m.values.get('space')}`"


def _crashes(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context, count: int) -> Iterator[Problem]:
    """Where the assembler's code generator crashes (measured on 13.5)."""
    load = form.instruction.access == "load"
    address, value = (operands[1], operands[0]) if load else (operands[0], operands[1])
    base = address.parts[0] if address.sort == kinds.ADDRESS else address
    if not load and m.values.get("space") == "param" and context.entry and base.sort == kinds.REGISTER:
        yield crash(f"`{m}` through a register in a kernel", (0, 0), context)
    element = _element(value)
    if element is None or count == 1:
        return
    if load and count == 8 and m.type.width < 32 and element.width <= m.type.width:
        yield crash(f"`{m}` into registers of {element.width} bits", (0,), context)
    elif not load and element.width == 128 and m.type.width >= 32 and _dies(m.type, count):
        yield crash(f"`{m}` of `.b128` registers", (1,), context)


def _dies(type: Type, count: int) -> bool:
    return (type.kind == "f" and count * type.width <= 128) or count == 8


def _element(value: Kind) -> Type | None:
    if value.sort == kinds.VECTOR:
        return value.type
    return next((part.type for part in value.parts if part.sort == kinds.REGISTER), None)


def crash(what: str, where: tuple[int, ...], context: Context) -> Problem:
    """The assembler takes this and then crashes: an error on the target where that was measured, else a warning."""
    return Problem(
        "assembler-crash" if context.crashes_measured else "document-disagrees",
        f"NVIDIA's assembler takes {what} and crashes when it generates code",
        where,
        "no code can be made of this",
    )


def judge_atom(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """Rules of `atom` and `red`."""
    address = next((kind for kind in operands if kind.sort == kinds.ADDRESS), None)
    if address is not None and address.parts[0].sort == kinds.VARIABLE and address.parts[0].space == "local":
        yield crash(f"`{m}` on local memory", (operands.index(address), 0), context)
