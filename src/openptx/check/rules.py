"""Rules of single instructions that no form can say, and the gates of forms."""

from __future__ import annotations

from openptx.check.converting import misused
from openptx.check.gating import unmet_gates
from openptx.check.memory import judge_atom, judge_load
from openptx.check.problems import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from openptx.check.context import Context
    from openptx.check.kinds import Kind
    from openptx.check.verdicts import Judged
    from openptx.isa.forms import Form, Modifiers

    Rule = Callable[[Form, Modifiers, tuple[Kind, ...], Context], Iterator[Problem]]


def refine(judged: Judged, operands: tuple[Kind, ...], context: Context) -> Judged:
    """What the instruction's own rules add to a judgement."""
    from openptx.check.verdicts import WARNINGS, Judged

    rule = RULES.get(judged.form.instruction.mnemonic)
    found = tuple(rule(judged.form, judged.m, operands, context)) if rule and judged.rank[0] == 2 else ()
    if all(problem.about in WARNINGS for problem in found):
        found += tuple(unmet_gates(judged.form, judged.m, context))
    if not found:
        return judged
    bad = sum(problem.about not in WARNINGS for problem in found)
    return Judged(judged.form, judged.m, (*judged.rank[:2], -bad), (*found, *judged.findings))


def _cvt(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    if form.slots[-1].typed and "u8" in form.slots[-1].choices:
        problem = misused(m)
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


def _compare(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
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


def _field(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """Positions and lengths of bit fields, where they are constant."""
    first = 2 if form.instruction.mnemonic == "bfe" else 3
    for i, kind in enumerate(operands[first:], first):
        if kind.sort == "integer" and (kind.bits > 8 or kind.space == "-") and context.precedent:
            yield Problem(
                "immediate-range",
                f"a position or length of `{m}` is between 0 and 255",
                (i,),
                "out of range",
                operand=form.operands[i].name,
                expected="0 to 255",
                rule="PTX ISA, bfe and bfi (9.7.1.20, 9.7.1.21)",
            )


def _cvta(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """Addresses of 32 bits, which the code generator refuses."""
    wide = context.precedent and not context.narrow
    if wide and m.type.width == 32 and not (operands and operands[-1].sort == "variable"):
        yield Problem(
            "narrow-address",
            f"`{m}` converts an address of 32 bits",
            label="the code generator may refuse it",
            expected=".u64",
            actual=".u32",
            rule="PTX ISA, cvta (9.7.9.20)",
        )


def _mov(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """A list is packed into one register or unpacked from one, not both."""
    lists = sum(kind.sort in ("list", "vector") for kind in operands)
    if lists == 2 and not m.vec:
        yield Problem(
            "vector-length",
            f"`{m}` packs a list into one register or takes one apart, and both operands are lists",
            (1,),
            "a second list",
            expected="a single register",
            rule="PTX ISA, mov (9.7.9.4)",
        )


def _call(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """The list behind an indirect call names functions."""
    for i, kind in enumerate(operands):
        if kind.sort == "table" and kind.space == "branchtargets":
            yield Problem(
                "target-list", "the targets of a call are the label of a `.calltargets`", (i,), "labels to branch to",
                rule="PTX ISA, call (9.7.12.5)",
            )  # fmt: skip


def _negates(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Iterator[Problem]:
    """`-a` in video instructions: that of one factor negates the product, and only `vmad` has a product.

    As the assembler has it, two negated factors cancel, in the other instructions too.
    """
    minus = {
        t.name: i for i, (t, kind) in enumerate(zip(form.operands, operands, strict=False)) if kind.sort == "minus"
    }
    if not minus:
        return
    product, addend = ("a" in minus) != ("b" in minus), "c" in minus
    problem = ""
    if form.instruction.mnemonic != "vmad" and (product or addend):
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
            rule="PTX ISA, vmad (9.7.18.1.3)",
        )


_VIDEO = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset")

RULES: dict[str, Rule] = {
    **dict.fromkeys(_VIDEO, _negates),
    "cvt": _cvt,
    "set": _compare,
    "setp": _compare,
    "cvta": _cvta,
    "mov": _mov,
    "call": _call,
    "bfe": _field,
    "bfi": _field,
    "ld": judge_load,
    "ldu": judge_load,
    "st": judge_load,
    "atom": judge_atom,
    "red": judge_atom,
}
