"""Checks names as values: special registers, functions, variables, and sums with constants."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.check.availability import FUNCTION_ADDRESS, INDIRECT_IMAGE, KERNEL_ADDRESS, require, too_new
from openptx.check.explain.type_errors import mismatch
from openptx.check.forms.elements import judge_element
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.operand.slot import Place, is_fixed
from openptx.check.problems import Path, Problem
from openptx.isa.notation.forms import Modifiers
from openptx.isa.types import Type


def special(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """Checks a special register as a source operand."""
    declared, wanted = kind.type, place.type
    allowed = place.allows.special and (place.allows.special != "any" or _of_integers(place.m))
    if not allowed or wanted is None or declared is None:
        yield place.problem(
            "special-register-place", f"`{place.opcode}` can't read a special register", where,
            "only `mov` and integer `cvt` can",
            expected=place.expected().replace("`", ""), actual="a special register",
            rule="PTX ISA, Special Registers (10)",
            help=f"move it into a register first: `{_move(kind)}`",
        )  # fmt: skip
        return
    if kind.count and not place.count and wanted.width == declared.width:
        yield place.problem(
            "operand-type",
            f"operand `{place.name}` of `{place.opcode}` is one register, and `{{}}` has four components", where,
            "all four of them",
            expected="one component: .x, .y, .z or .w", actual="all of a special register",
            rule="PTX ISA, Special Registers (10)",
            help="write `{}.x`",
        )  # fmt: skip
        return
    if not _reads(place, kind, wanted, declared):
        yield mismatch(place, declared, where, _conversion(kind, wanted, declared))
    elif place.count and not kind.count:
        yield from alone(place, where)
    yield from too_new(place.context, kind, where)


def _move(kind: Kind) -> str:
    """The statement that reads a special register, or the first of its components."""
    name = kind.type.name if kind.type is not None else "u32"
    return f"mov.{name} {'%p' if name == 'pred' else '%r'}, {{}}{'.x' if kind.count else ''};"


def _conversion(kind: Kind, wanted: Type, declared: Type) -> str | None:
    """The sentence that says how to read a special register as a number, or as a predicate, if it is the other one."""
    if declared.kind == "pred" and wanted.kind in "bsu":
        return f"go through a predicate: `{_move(kind)} selp.{wanted.name} %x, 1, 0, %p;`"
    if declared.kind != "pred" and wanted.kind == "pred":
        return f"go through a number: `{_move(kind)} setp.ne.{declared.name} %p, %r, 0;`"
    return None


def _reads(place: Place, kind: Kind, wanted: Type, declared: Type) -> bool:
    """Whether a special register can be read as a type: all of it, or the bits that an early PTX version had."""
    if declared.kind == "pred" or wanted.kind == "pred":
        return wanted is declared and not place.count  # `%is_explicit_cluster`
    if kind.count and not (place.count or place.packs):
        return wanted.kind == "b" and wanted.width == kind.count * declared.width  # `mov.b128 %q, %tid`
    if wanted.kind not in "bsu" or wanted.width > declared.width:
        return False
    if kind.count != place.count and (kind.count or not place.takes_one):  # `mov.v4.u32 {%r0, %r1, %r2, %r3}, %tid`
        return False
    return wanted.width >= kind.bits or place.allows.special == "any"


def ignored(place: Place, kind: Kind) -> bool:
    """Whether the assembler ignores this operand: a single integer where a list is required.

    Untyped bits are a depth if coordinates are floats; otherwise they are rejected in three dimensions and ignored in
    others (measured).
    """
    if not (place.context.follows_ptxas and place.operand_rule.says("an ignored integer")):
        return False
    if kind.sort != kinds.REGISTER or kind.type is None:
        return kind.sort == kinds.INTEGER
    bits = place.m.ctype.name == "s32" and place.m.geom != "3d"
    return kind.type.width == 32 and kind.type.kind in ("sub" if bits else "su")


def ignored_operand(place: Place, where: Path) -> Problem:
    """The warning that an operand has no effect."""
    return place.problem(
        "document-disagrees", f"the assembler ignores one integer as operand `{place.name}` of `{place.opcode}`", where,
        "no list" if place.count else "nothing is read here",
        expected=f"a list of {place.count}" if place.count else "no operand", actual="one integer",
        rule="PTX ISA, Vectors as Operands (6.4.3)",
        help="list every element" if place.count else "leave it out",
    )  # fmt: skip


def alone(place: Place, where: Path) -> Iterator[Problem]:
    """One value where the document requires a list. The assembler makes it the first element, and the others zero."""
    yield place.problem(
        "document-disagrees",
        f"the assembler accepts one value as operand `{place.name}` of `{place.opcode}`, the document requires a list",
        where, f"not a list of {place.count}",
        expected=f"a list of {place.count}", actual="one value", rule="PTX ISA, Vectors as Operands (6.4.3)",
        help="list every element",
    )  # fmt: skip


def _of_integers(m: Modifiers) -> bool:
    return all(type.kind in "su" for type in (m.dtype, m.atype))


def function(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The name of a function as a value: the document allows it only in `call` and `mov` (6.4.4)."""
    yield from too_new(place.context, kind, where)
    instruction = place.form.instruction
    wide = place.type is not None and place.type.kind in "bsu" and place.type.width >= 32
    if place.operand_rule.says("functions"):
        wanted = KERNEL_ADDRESS if kind.space == "entry" else FUNCTION_ADDRESS
        yield from require("the address of `{}`", wanted, place.context, where)
        if wide:
            return
    if instruction.converts or not place.context.follows_ptxas:
        crashes = "assembler-crash" if place.context.crashes_measured else "document-disagrees"
        yield place.problem(
            crashes if place.context.follows_ptxas else "operand-kind",
            f"`{place.opcode}` can't take the address of a function", where, "the name of a function",
            expected=place.expected().replace("`", ""), actual=kind.text,
            rule="PTX ISA, Labels and Function Names as Operands (6.4.4)",
            help="take its address first: `mov.u64 %rd, {};`",
        )  # fmt: skip
        return
    yield place.problem(
        "document-disagrees",
        f"the assembler lets `{place.opcode}` take the address of a function, the document doesn't",
        where,
        "the name of a function",
        rule="PTX ISA, Labels and Function Names as Operands (6.4.4)",
        help="take its address first: `mov.u64 %rd, {};`",
    )


def variable(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The address of a variable, or an element of an array, as a value."""
    if kind.sort == kinds.ELEMENT:
        found = list(judge_element(kind, where))
        if found:
            yield from found
            return
    if place.allows.address and place.type is not None and place.type.kind in "bsu" and not place.count:
        yield from _address_of(place, kind, where)
        return
    wanted = place.type.kind if place.type is not None and not place.count else ""
    if not kind.literal and wanted in ("b", "s", "u") and _takes_offset(place):
        yield from summed(place, kind, where)
        return
    yield place.problem(
        "operand-kind", f"`{place.opcode}` can't take the address of a variable as operand `{place.name}`", where,
        f"this is a variable in `.{kinds.PARAMETERS.get(kind.space, kind.space)}`",
        expected=place.expected().replace("`", ""), actual=kind.text,
        rule="PTX ISA, Source Operands (6.2): operands of arithmetic are registers",
        help="take its address first: `mov.u64 %rd, {};`",
    )  # fmt: skip


def _takes_offset(place: Place) -> bool:
    """Whether the assembler accepts the address of a variable plus a constant where it accepts no address by itself.

    Not as 16 or 64 bits whose type the opcode does not say: a mask, a scale, a policy, a descriptor (measured).
    """
    assert place.type is not None
    fixed = place.type.width in (16, 64) and is_fixed(place.form, place.template)
    return place.context.follows_ptxas and place.allows.sum and (not fixed or place.operand_rule.says("an address"))


def _address_of(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The address of a variable as a value: its space and its size."""
    assert place.type is not None
    space = place.allows.space or place.m.values.get("space")
    held = kinds.PARAMETERS.get(kind.space, kind.space)
    if kind.space == "frame":
        yield place.problem(
            "operand-kind", f"`{place.opcode}` can't take the address of an argument or result of a call", where,
            "in the body's `.param`",
            expected=place.expected().replace("`", ""), actual="the address of a `.param` variable of the body",
            rule="PTX ISA, Device Function Parameters (5.1.6.4)",
            help="copy it with `ld.param` and `st.local` to take an address",
        )  # fmt: skip
    elif kind.space == "tex" or (kind.type is not None and kind.type.kind == "opaque"):
        yield from _image_address(place, kind, where)
    elif isinstance(space, str) and held not in (space, space.partition("::")[0]):
        yield place.problem(
            "state-space", f"`{place.opcode}` converts an address in `.{space}`, but this variable is in `.{held}`",
            where, f"declared in `.{held}`",
            expected=f".{space}", actual=f".{held}", rule=f"PTX ISA, {place.form.instruction.name}",
        )  # fmt: skip
    elif (
        place.type.width == 32
        and (held in ("global", "const") or (isinstance(space, str) and not place.allows.space))
        and place.context.follows_ptxas
        and not place.context.short_addresses
        and not place.packs
    ):
        yield place.problem(
            "narrow-address", f"a 32-bit register can't hold every address in `.{held}`", where,
            "an address of 64 bits",
            expected=".b64, .u64 or .s64", actual=f".{place.type.name}", rule="PTX ISA, Addresses as Operands (6.4.1)",
        )  # fmt: skip


def _image_address(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The address of a texture, sampler or surface as a value: a handle."""
    type = kind.type
    assert place.type is not None
    if type is None or type.kind != "opaque" or not place.context.follows_ptxas or place.type.name == "u64":
        yield from require("the address of `{}`", INDIRECT_IMAGE, place.context, where)
        return
    yield place.problem(
        "operand-type",
        f"a `.{type.name}` has an address of type `.u64`, and `{place.opcode}` says `.{place.type.name}`", where,
        f"this is a `.{type.name}`",
        expected=".u64", actual=f".{place.type.name}", rule="PTX ISA, Texture Sampler and Surface Types (5.3)",
    )  # fmt: skip


def summed(place: Place, base: Kind, where: Path) -> Iterator[Problem]:
    """A sum with a constant as a value, which the document allows only in addresses and in `mov`."""
    if base.sort == kinds.FUNCTION and place.allows.address:
        yield place.problem(
            "assembler-crash" if place.context.crashes_measured else "document-disagrees",
            f"`{place.opcode}` can't take an address inside a function",
            where,
            "the name of a function, and a constant",
            rule="PTX ISA, Labels and Function Names as Operands (6.4.4)",
            help="take the address of the function itself",
        )
        return
    if base.sort == kinds.SPECIAL:
        yield from too_new(place.context, base, where)
    if not place.allows.address:
        yield place.problem(
            "document-disagrees",
            f"the assembler lets `{place.opcode}` add a constant to operand `{place.name}`, the document doesn't",
            where,
            "a sum",
            rule="PTX ISA, Source Operands (6.2)",
            help="add it in an instruction of its own",
        )


def adds(place: Place, base: Kind) -> bool:
    """Whether the assembler accepts a register plus a constant, `r+4`, here: it checks only the kind of `r`."""
    if not (place.context.follows_ptxas and place.allows.sum) or place.count or place.rule is None:
        return False
    if base.sort == kinds.FUNCTION:
        return place.takes_functions
    single = base.sort == kinds.REGISTER or (base.sort == kinds.SPECIAL and not base.count)
    return single and base.type is not None and place.rule.takes_sum(base.type)
