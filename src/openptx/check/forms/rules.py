"""Rules of individual instructions beyond their forms, and the gates of forms."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.check.availability import unmet_gates
from openptx.check.context import Context
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.problems import OPCODE, WARNINGS, Candidate, Problem, rewrite
from openptx.diagnostics import SAFE
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.notation.operand_rules import operand_rule
from openptx.isa.types import Type
from openptx.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.explain.cvt_errors import cvt_errors
    from openptx.check.explain.suggestions import as_subtraction
else:
    cvt_errors = late("openptx.check.explain.cvt_errors", "cvt_errors")
    as_subtraction = late("openptx.check.explain.suggestions", "as_subtraction")

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
            "vector-length", f"`.{vec}.{m.type.name}` is {bits} bits, more than an access has", label="too wide",
            expected="at most 128 bits, or 256 as `.v4` of 64 or `.v8` of 32", actual=f"{bits} bits", rule=_RULE,
        )  # fmt: skip
    elif bits == 256 and m.values.get("space") != "global" and not (context.follows_ptxas and _generic(m)):
        yield Problem(
            "state-space", f"accesses of 256 bits are only for `.global`, and `{m}` has {_space(m)}",
            label="add `.global`",
            expected=".global", actual=_space(m), rule="PTX ISA, ld and st: .vec",
        )  # fmt: skip
    elif context.follows_ptxas:
        yield from _crashes(form, m, operands, context, count)


def _displaced(form: Form, m: Modifiers, vec: str, context: Context) -> Problem:
    """`.v2` precedes the type directly; elsewhere the assembler accepts it with a warning."""
    others = [modifier for modifier in m.written if modifier not in (vec, m.type.name)]
    fixed = ".".join((form.instruction.mnemonic, *others, vec, m.type.name))
    return Problem(
        "displaced-vector" if context.follows_ptxas else "modifier-order",
        f"`.{vec}` must come directly before the type", label="misplaced",
        expected=fixed, actual=repr(m), rule="PTX ISA, ld and st: syntax",
        help=f"write `{fixed}`", repair=rewrite(fixed, SAFE),
    )  # fmt: skip


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
    elif not load and element.width == 128 and m.type.width >= 32 and _fails(m.type, count):
        yield crash(f"`{m}` of `.b128` registers", (1,), context)


def _fails(type: Type, count: int) -> bool:
    return (type.kind == "f" and count * type.width <= 128) or count == 8


def _element(value: Kind) -> Type | None:
    if value.sort == kinds.VECTOR:
        return value.type
    return next((part.type for part in value.parts if part.sort == kinds.REGISTER), None)


def crash(what: str, where: tuple[int, ...], context: Context) -> Problem:
    """The assembler accepts this and then crashes: an error on the target where that was measured, else a warning."""
    return Problem(
        "assembler-crash" if context.crashes_measured else "document-disagrees",
        f"NVIDIA's assembler accepts {what} and crashes when it generates code",
        where,
        "no code can be generated for this",
    )


def judge_atom(m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """Rules of `atom` and `red`."""
    address = next((kind for kind in operands if kind.sort == kinds.ADDRESS), None)
    if address is not None and address.parts[0].sort == kinds.VARIABLE and address.parts[0].space == "local":
        yield crash(f"`{m}` on local memory", (operands.index(address), 0), context)


def refine(candidate: Candidate, operands: tuple[Kind, ...], context: Context) -> Candidate:
    """The candidate together with the findings of the instruction's own rules."""
    found = tuple(_own(candidate.form, candidate.m, operands, context)) if candidate.rank[0] == 2 else ()
    if all(problem.about in WARNINGS for problem in found):
        found += tuple(unmet_gates(candidate.form, candidate.m, context))
    if not found:
        return candidate
    bad = sum(problem.about not in WARNINGS for problem in found)
    said = {(problem.about, problem.where) for problem in found if problem.where != OPCODE}
    others = tuple(problem for problem in candidate.findings if (problem.about, problem.where) not in said)
    return Candidate(candidate.form, candidate.m, (*candidate.rank[:2], candidate.rank[2] - bad), (*found, *others))


def _own(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """The findings of the rules that apply to an instruction, by its declaration."""
    instruction, said = form.instruction, operand_rule(form.instruction, form.operands[0].name if form.operands else "")
    if instruction.access == "update":
        yield from judge_atom(m, operands, context)
    elif instruction.access:
        yield from judge_load(form, m, operands, context)
    elif instruction.converts:
        yield from _conversion(form, m)
    elif instruction.control == "call":
        yield from _call(operands)
    elif said.says("packed"):
        yield from _packed(m, operands)
    elif said.says("wide"):
        yield from _address(m, operands, context)
    elif "CmpOp" in m.values:
        yield from _compare(m)
    if any(kind.sort == kinds.MINUS for kind in operands):
        yield from _negates(form, m, operands)


def _conversion(form: Form, m: Modifiers) -> Iterator[Problem]:
    """Rounding and saturation of a plain conversion."""
    if form.slots[-1].typed and "u8" in form.slots[-1].choices:
        problem = cvt_errors(m)
        if problem is not None:
            yield problem


# The comparisons of each type (9.7.6): bits compare equal or not, `lo` is for unsigned integers, `equ` for floats.
_EQUAL = ("eq", "ne")
_ORDERED = (*_EQUAL, "lt", "le", "gt", "ge")
COMPARISONS = {
    "b": _EQUAL,
    "s": _ORDERED,
    "u": (*_ORDERED, "lo", "ls", "hi", "hs"),
    "f": (*_ORDERED, "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"),
}


def _compare(m: Modifiers) -> Iterator[Problem]:
    type = m.values.get("atype") or m.values.get("type")
    comparison = m.values.get("CmpOp")
    if type is None or comparison is None:
        return
    if comparison not in COMPARISONS[type.kind]:
        yield Problem(
            "no-such-form", f"`.{type.name}` has no comparison `.{comparison}`",
            label="no such comparison of this type",
            expected=" ".join(f".{name}" for name in COMPARISONS[type.kind]), actual=f".{comparison}",
            rule="PTX ISA, Integer and Bit-Size Comparisons, Floating Point Comparisons (9.3.1)",
        )  # fmt: skip
    if (m.ftz and type.kind != "f") or (m.ftz and type.name == "f64"):
        yield no_ftz(type.name)


def no_ftz(name: str) -> Problem:
    """`.ftz` on a type without subnormals to flush."""
    return Problem(
        "modifier-forbidden", f"`.ftz` is for `.f32`, and this compares `.{name}`", label="leave out `.ftz`",
        expected="no `.ftz`", actual=".ftz", rule="PTX ISA, setp: .ftz",
    )  # fmt: skip


def _address(m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """32-bit addresses, which the code generator may reject."""
    wide = context.follows_ptxas and not context.short_addresses
    if wide and m.type.width == 32 and not (operands and operands[-1].sort == kinds.VARIABLE):
        yield Problem(
            "narrow-address", f"`{m}` converts an address of 32 bits", label="the code generator may reject it",
            expected=".u64", actual=".u32", rule="PTX ISA, cvta (9.7.9.20)",
        )  # fmt: skip


def _packed(m: Modifiers, operands: tuple[Kind, ...]) -> Iterator[Problem]:
    """A list is either packed into one register or unpacked from one."""
    lists = sum(kind.sort in (kinds.LIST, kinds.VECTOR) for kind in operands)
    if lists == 2:
        yield Problem(
            "vector-length", f"`{m}` packs a list into one register or unpacks one, and both operands are lists", (1,),
            "a second list",
            expected="a single register", actual="a second list", rule="PTX ISA, mov (9.7.9.4)",
        )  # fmt: skip


def _call(operands: tuple[Kind, ...]) -> Iterator[Problem]:
    """The list after an indirect call must name functions."""
    for i, kind in enumerate(operands):
        if kind.sort == kinds.TABLE and kind.space == "branchtargets":
            yield Problem(
                "target-list", "the targets of a call must be the label of a `.calltargets`", (i,),
                "labels to branch to", rule="PTX ISA, call (9.7.12.5)",
            )  # fmt: skip


def _has_product(form: Form) -> bool:
    """Whether the manual allows a minus before operands: on a factor it negates the product."""
    return any(template.minus for each in form.instruction.forms for template in each.operands)


def _negates(form: Form, m: Modifiers, operands: tuple[Kind, ...]) -> Iterator[Problem]:
    """`-a` in video instructions: on one factor it negates the product, and only `vmad` has a product.

    In the assembler two negated factors cancel, in the other instructions too.
    """
    minus = {
        t.name: i for i, (t, kind) in enumerate(zip(form.operands, operands, strict=False)) if kind.sort == kinds.MINUS
    }
    product, addend = ("a" in minus) != ("b" in minus), "c" in minus
    problem = ""
    if not _has_product(form) and (product or addend):
        problem = f"`{m}` takes no negated operand"
    elif product and addend:
        problem = f"`{m}` negates either the product or `c`"
    elif m.po and (product or addend):
        problem = f"`{m}` adds one, and can't have a negated operand"
    if problem:
        where = next(iter(minus.values()))
        yield Problem(
            "operand-kind", problem, (where,), "leave out the minus",
            operand=form.operands[where].name, expected="no minus here", actual="a negated operand",
            help="`sub` subtracts a register, and `neg` negates one first",
            repair=lambda statement: as_subtraction(statement, where),
            rule="PTX ISA, vmad (9.7.18.1.3)" if _has_product(form) else "PTX ISA, Source Operands (6.2)",
        )  # fmt: skip
