"""Rules of single instructions beyond their forms, and the gates of forms."""

from __future__ import annotations

from openptx.check.availability import unmet_gates
from openptx.check.explain.cvt_errors import cvt_errors
from openptx.check.forms.load_store import judge_atom, judge_load
from openptx.check.operand import kinds
from openptx.check.problems import WARNINGS, Candidate, Problem
from openptx.isa.notation.operand_rules import operand_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.context import Context
    from openptx.check.operand.kinds import Kind
    from openptx.isa.notation.forms import Form, Modifiers


def refine(candidate: Candidate, operands: tuple[Kind, ...], context: Context) -> Candidate:
    """The candidate with the findings of the instruction's own rules."""
    found = tuple(_own(candidate.form, candidate.m, operands, context)) if candidate.rank[0] == 2 else ()
    if all(problem.about in WARNINGS for problem in found):
        found += tuple(unmet_gates(candidate.form, candidate.m, context))
    if not found:
        return candidate
    bad = sum(problem.about not in WARNINGS for problem in found)
    return Candidate(candidate.form, candidate.m, (*candidate.rank[:2], -bad), (*found, *candidate.findings))


def _own(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """The findings of the rules that apply to an instruction, by its declaration."""
    instruction, said = form.instruction, operand_rule(form.instruction, form.operands[0].name if form.operands else "")
    if instruction.access == "update":
        yield from judge_atom(form, m, operands, context)
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


# Which comparisons a type has (9.7.6): bits compare equal or not, `lo` is for unsigned integers, `equ` for floats.
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
            "no-such-form",
            f"`.{type.name}` has no comparison `.{comparison}`",
            label="no such comparison of this type",
            expected=" ".join(f".{name}" for name in COMPARISONS[type.kind]),
            actual=f".{comparison}",
            rule="PTX ISA, Integer and Bit-Size Comparisons, Floating Point Comparisons (9.3.1)",
        )
    if (m.ftz and type.kind != "f") or (m.ftz and type.name == "f64"):
        yield no_ftz(m, type.name)


def no_ftz(m: Modifiers, name: str) -> Problem:
    """`.ftz` on a type without subnormals to flush."""
    return Problem(
        "modifier-forbidden",
        f"`.ftz` is for `.f32`, and `.{name}` is compared here",
        label="leave out `.ftz`",
        expected="no `.ftz`",
        actual=".ftz",
        rule="PTX ISA, setp: .ftz",
    )


def _address(m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """Addresses of 32 bits, which the code generator refuses."""
    wide = context.follows_ptxas and not context.short_addresses
    if wide and m.type.width == 32 and not (operands and operands[-1].sort == kinds.VARIABLE):
        yield Problem(
            "narrow-address",
            f"`{m}` converts an address of 32 bits",
            label="the code generator may refuse it",
            expected=".u64",
            actual=".u32",
            rule="PTX ISA, cvta (9.7.9.20)",
        )


def _packed(m: Modifiers, operands: tuple[Kind, ...]) -> Iterator[Problem]:
    """A list is packed into one register or unpacked from one, not both."""
    lists = sum(kind.sort in (kinds.LIST, kinds.VECTOR) for kind in operands)
    if lists == 2:
        yield Problem(
            "vector-length",
            f"`{m}` packs a list into one register or takes one apart, and both operands are lists",
            (1,),
            "a second list",
            expected="a single register",
            actual="a second list",
            rule="PTX ISA, mov (9.7.9.4)",
        )


def _call(operands: tuple[Kind, ...]) -> Iterator[Problem]:
    """The list after an indirect call names functions."""
    for i, kind in enumerate(operands):
        if kind.sort == kinds.TABLE and kind.space == "branchtargets":
            yield Problem(
                "target-list", "the targets of a call are the label of a `.calltargets`", (i,), "labels to branch to",
                rule="PTX ISA, call (9.7.12.5)",
            )  # fmt: skip


def _has_product(form: Form) -> bool:
    """Whether the manual has a minus before operands: that of a factor negates the product."""
    return any(template.minus for each in form.instruction.forms for template in each.operands)


def _negates(form: Form, m: Modifiers, operands: tuple[Kind, ...]) -> Iterator[Problem]:
    """`-a` in video instructions: that of one factor negates the product, and only `vmad` has a product.

    As the assembler has it, two negated factors cancel, in the other instructions too.
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
        problem = f"`{m}` adds one, and then nothing is negated"
    if problem:
        where = next(iter(minus.values()))
        yield Problem(
            "operand-kind",
            problem,
            (where,),
            "leave out the minus",
            operand=form.operands[where].name,
            expected="no minus here",
            actual="a negated operand",
            rule="PTX ISA, vmad (9.7.18.1.3)",
        )
