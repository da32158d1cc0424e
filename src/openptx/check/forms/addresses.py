"""Checks address operands (manual 6.4.1): base, offset, space, and alignment if they are constant."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.check.availability import INDIRECT_IMAGE, INDIRECT_SAMPLING, require
from openptx.check.explain.suggestions import added, bracketed, unbracketed
from openptx.check.foreign_spellings import absent
from openptx.check.forms.coordinates import judge_parts, lacks_sampler, no_sampler, samples, whole_array
from openptx.check.forms.elements import judge_element
from openptx.check.names.declared_types import OPAQUE
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.operand.slot import Place
from openptx.check.problems import Path, Problem, rewrite, undeclared
from openptx.isa.notation import resolve
from openptx.isa.types import TYPES, Type

_RULE = "PTX ISA, Addresses as Operands (6.4.1)"
_TEXTURE = TYPES["texref"]
"""The type of a variable in `.tex`, whatever its declaration says (5.1.8)."""
_VALUES = frozenset((kinds.REGISTER, kinds.VARIABLE, kinds.SUM))
_GENERIC = frozenset(("global", "shared", "local"))
_NOT_UNIFIED = frozenset(
    ("shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry", "param::func")
)


def judge_address(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The problems of an address, including those that the assembler accepts."""
    if kind.sort == kinds.ELEMENT and place.operand_rule.says("element"):
        found = list(judge_element(kind, where))
        yield from found or _base(place, kind, where)
        return
    if kind.sort in _VALUES and place.context.follows_ptxas and place.operand_rule.says("without brackets"):
        yield from _bare(place, kind, where)
        return
    if (problem := _misshapen(place, kind, where)) is not None:
        yield problem
        return
    if kind.space == "unified" and (misused := _misused_unified(place, kind, where)) is not None:
        yield misused
    if lacks_sampler(place):
        yield no_sampler(place, where)
    if kind.bits == 64:
        yield place.problem(
            "offset-too-large" if place.context.follows_ptxas else "address-form", "the offset has more than 32 bits",
            where, "out of range",
            expected="a signed offset of 32 bits", actual="one of more bits", rule=_RULE,
            help="add it to the register first",
        )  # fmt: skip
    if kind.count and place.context.follows_ptxas and (len(place.template.parts) > 1 or _is_image(place)):
        yield place.problem(
            "address-form", f"nothing can be added to the first part of the address of `{place.opcode}`", where,
            "an offset",
            expected="a register or a variable alone", actual="one with an offset", rule=_RULE,
            help="add it to the register first",
        )  # fmt: skip
        return
    yield from _base(place, kind.parts[0], where)
    if len(kind.parts) == len(place.template.parts) > 1:
        yield from judge_parts(place, kind.parts[1:], where)


def _misused_unified(place: Place, kind: Kind, where: Path) -> Problem | None:
    """The problem of `[a].unified`, an address that is the same on every device (9.7.9.8). The assembler takes it where
    an instruction reads global or generic memory into a register (measured, ptxas 13.5), the document in `ld` alone.
    """
    first = place.form.operands[0]
    known = place.context.follows_ptxas or place.template.suffix == kind.space
    if known and first.role != "address" and len(kind.parts) == 1 and not _NOT_UNIFIED.intersection(place.m.written):
        return None
    return place.problem(
        "address-form", f"`{place.opcode}` takes no `.unified` address", where, "not allowed here",
        expected="an address `[...]`", actual="one with `.unified`", rule="PTX ISA, ld (9.7.9.8)",
        help="`.unified` is for loads from `.global` and generic addresses: leave it out",
    )  # fmt: skip


def _bare(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """An address without brackets."""
    message = f"the assembler accepts operand `{place.name}` of `{place.opcode}` without brackets, the document doesn't"
    yield place.problem(
        "document-disagrees", message, where, "no address", expected="an address `[...]`", actual=kind.text, rule=_RULE,
        help="write `[{}]`",
    )  # fmt: skip
    if kind.sort == kinds.VARIABLE:
        yield from _base(place, kind, where)


def _misshapen(place: Place, kind: Kind, where: Path) -> Problem | None:
    """The problem of an operand that is no address, or one of another number of parts."""
    if kind.sort != kinds.ADDRESS:
        return place.problem(
            "address-form", f"operand `{place.name}` of `{place.opcode}` must be an address in brackets", where,
            "no address", expected="an address `[...]`", actual=kind.text, rule=_RULE, help=unbracketed(kind),
            repair=lambda statement: bracketed(statement, where, kind),
        )  # fmt: skip
    if len(kind.parts) == max(1, len(place.template.parts)):
        return None
    return place.problem(
        "address-form", f"the address of `{place.opcode}` has {_parts_in_words(len(place.template.parts))}", where,
        expected=_parts_in_words(len(place.template.parts)), actual=_parts_in_words(len(kind.parts)), rule=_RULE,
        help=added(kind),
    )  # fmt: skip


def _parts_in_words(count: int) -> str:
    return f"{count} parts" if count > 1 else "one part"


def _base(place: Place, base: Kind, where: Path) -> Iterator[Problem]:
    match base.sort:
        case kinds.REGISTER:
            yield from _register(place, base, where)
        case kinds.VARIABLE | kinds.ELEMENT if base.type is not None:
            yield from _variable(place, base, where)
        case kinds.INTEGER:
            if place.context.follows_ptxas and place.space != "local" and not place.operand_rule.says("constant"):
                yield place.problem(
                    "address-form", "a constant address is allowed only in `.local`", where, "a constant",
                    expected="an integer register or a variable", actual="a constant",
                    rule=f"{_RULE} allows it; the assembler doesn't",
                    help="put it into a register first: `mov.u64 %rd, ...;`",
                )  # fmt: skip
        case kinds.NAME:
            yield undeclared(
                (*where, 0), lambda kind: kind.sort != kinds.INTEGER and not any(_base(place, kind, where))
            )
        case _:
            yield place.problem(
                "address-register", f"{base.text} can't be an address", (*where, 0), "no address",
                expected="an integer register or a variable", actual=base.text, rule=_RULE,
            )  # fmt: skip


def _other_width(place: Place, declared: Type, where: Path) -> Problem | None:
    """The problem with a register whose width differs from that of addresses."""
    width = _width(place)
    untyped = place.template.parts[:1] and place.template.parts[0].endswith("-tmem")  # of tcgen05.mma; measured
    fitting = "b" if untyped and place.context.follows_ptxas else "bsu"
    if not width or (declared.kind in fitting and declared.width == width):
        return None
    return place.problem(
        "address-register", f"`{place.opcode}` takes an address of {width} bits here, not `.{declared.name}`",
        (*where, 0), f"this is `.{declared.name}`",
        expected=f".b{width}" if fitting == "b" else f".b{width}, .u{width} or .s{width}", actual=f".{declared.name}",
        rule=_RULE,
        help=f"declare it `.b{width}`" if declared.width == width else f"use a register of type `.b{width}`",
    )  # fmt: skip


def _register(place: Place, base: Kind, where: Path) -> Iterator[Problem]:
    declared = base.type
    assert declared is not None
    if _is_image(place):
        sampled = place.context.independent_textures and samples(place)
        wanted = INDIRECT_SAMPLING if sampled else INDIRECT_IMAGE
        yield from require("a handle in a register", wanted, place.context, (*where, 0))
    problem = _other_width(place, declared, where) or _wrong_register(place, declared, where)
    if problem is not None:
        yield problem


def _wrong_register(place: Place, declared: Type, where: Path) -> Problem | None:
    """The problem of a register that can't hold an address, may lose bits of one, or stands for a variable."""
    integer, follows_ptxas = declared.kind in "bsu", place.context.follows_ptxas
    extended = follows_ptxas and not place.operand_rule.needs_32_bits(place.space, place.m.written)
    label, rule, help = f"this is `.{declared.name}`", _RULE, None
    if not integer and declared.width <= 64 and follows_ptxas and place.operand_rule.says("any register"):
        code, expected = "document-disagrees", ".b64, .u64 or .s64"
        message = f"the assembler takes any register as an address of `{place.opcode}`, the document an integer"
        help = "put the address into a register of 64 bits"
    elif not integer or declared.width > 64 or (declared.width < 32 and not extended):
        code, expected = "address-register", ".b64, .u64, .s64, .b32, .u32 or .s32"
        message = f"an address register must be an integer or bit register of 32 or 64 bits, not `.{declared.name}`"
        help = f"use a register of type `.b{_width(place) or (32 if place.context.short_addresses else 64)}`"
    elif "param::func" in place.m.written and place.context.entry and follows_ptxas:
        code, expected = "address-form", "a `.param` variable"
        message = f"`{place.opcode}` takes a variable of this kernel, not an address in a register"
        label, rule = "a register", "PTX ISA, Parameter State Space (5.1.6)"
    elif _is_narrow(place, declared):
        code, expected = "narrow-address", ".b64, .u64 or .s64"
        message = f"an address of {declared.width} bits in a register `.{declared.name}`"
        label = "extended with zeros; the code generator may reject it"
    else:
        return None
    actual = f".{declared.name}"
    return place.problem(code, message, (*where, 0), label, expected=expected, actual=actual, rule=rule, help=help)


def _is_narrow(place: Place, declared: Type) -> bool:
    """Whether the assembler extends an address in a register of this type with zeros."""
    if declared.width >= 64 or not place.context.follows_ptxas:
        return False
    return declared.width < 32 or (place.space in ("global", "generic") and not place.context.short_addresses)


def _width(place: Place) -> int:
    """The required width of an address: 32 bits in tensor memory, 64 bits for handles of images."""
    wide = place.context.follows_ptxas and (_is_image(place) or place.operand_rule.says("64 bits"))
    return 64 if wide else place.template.bits


def _is_image(place: Place) -> bool:
    """Whether the address is that of a texture, sampler or surface."""
    return place.form.instruction.types.get(place.name) in OPAQUE


def _variable(place: Place, base: Kind, where: Path) -> Iterator[Problem]:
    if place.template.bits:
        yield place.problem(
            "address-register", f"`{place.opcode}` takes an address in tensor memory, which is in a register",
            (*where, 0), "a variable",
            expected=f".b{place.template.bits}, .u{place.template.bits} or .s{place.template.bits}",
            actual="a variable", rule="PTX ISA, Tensor Memory Addressing (9.7.16.1.1)",
        )  # fmt: skip
        return
    if place.context.follows_ptxas and place.operand_rule.needs_register(place.m.written):
        yield place.problem(
            "address-register", f"`{place.opcode}` takes an address in a register", (*where, 0), "a variable",
            expected=".b64, .u64, .s64, .b32, .u32 or .s32", actual="a variable",
            rule=f"{_RULE} allows it; the assembler doesn't",
            help="put it into a register first: `mov.u64 %rd, ...;`",
        )  # fmt: skip
        return
    if (problem := _opaque(place, base, where)) is not None:
        yield problem
        return
    held = kinds.PARAMETERS.get(base.space, base.space)
    space = "param" if place.space == "frame" else place.space
    problem = _parameter(place, base, where) if held == space == "param" else None
    problem = problem or _elsewhere(place, space, held, where)
    if problem is not None:
        yield problem
    elif (size := access_size(place)) and 0 <= base.room < size:
        yield Problem(
            "parameter-past-end" if held == "param" else "index-out-of-bounds",
            f"this accesses {size} bytes, and {base.room} are left of the variable",
            where,
            "past its end",
        )
    elif size and base.align % size:
        yield Problem(
            "misaligned-address", f"this address is not a multiple of {size}", where, "misaligned", rule=_RULE
        )


def _elsewhere(place: Place, space: str | None, held: str, where: Path) -> Problem | None:
    """The problem of a variable in the space `held`, if the access is to another one."""
    if space == "generic" and held not in _GENERIC and place.context.follows_ptxas:
        space = "global"  # in the assembler, a name in `.const` or `.param` is not a generic address
    if space is None or space in ("generic", held) or (space, held) == ("shared::cluster", "shared"):
        return None
    fixed = _accessing(place.opcode, space, held)
    return place.problem(
        "state-space", f"`{place.opcode}` accesses `.{space}`, but this variable is in `.{held}`", where,
        f"declared in `.{held}`",
        expected=f".{space}", actual=f".{held}", rule=_RULE,
        help=f"write `{fixed}`" if fixed else absent(place.opcode.partition(".")[0], held, None),
        repair=rewrite(fixed) if fixed else None,
    )  # fmt: skip


def _accessing(opcode: str, space: str, held: str) -> str | None:
    """The opcode with the space of the variable; none if the instruction has no such form, or names several spaces."""
    mnemonic, *modifiers = opcode.split(".")
    if space not in modifiers:
        modifiers.insert(0, space)
    fixed = ".".join((mnemonic, *(held if each == space else each for each in modifiers)))
    return fixed if resolve(fixed) else None


def _opaque(place: Place, base: Kind, where: Path) -> Problem | None:
    """Textures and surfaces are only for their own instructions, which accept nothing else."""
    wanted, declared = place.form.instruction.types.get(place.name), _TEXTURE if base.space == "tex" else base.type
    if wanted == "samplerref" and not (place.context.independent_textures or place.operand_rule.says("a sampler")):
        wanted = "texref"  # a texture includes its sampler
    if declared is None or not place.context.follows_ptxas:
        return None
    rule = place.operand_rule
    accesses = access_size(place) or rule.needs_32_bits(place.space, place.m.written) or rule.says("no texture")
    if wanted not in OPAQUE and not (declared.kind == "opaque" and accesses):
        return None
    if wanted == declared.name:
        return whole_array(place, where) if base.count and base.sort == kinds.VARIABLE else None
    return place.problem(
        "operand-kind", f"`{place.opcode}` takes {f'a `.{wanted}`' if wanted in OPAQUE else 'variables of memory'}",
        where, f"this is a `.{declared.name}`",
        expected=f".{wanted}, or a 64-bit register" if wanted in OPAQUE else None, actual=f".{declared.name}",
        rule="PTX ISA, Texture Sampler and Surface Types (5.3)",
    )  # fmt: skip


def _parameter(place: Place, base: Kind, where: Path) -> Problem | None:
    """The direction of a parameter, and the function it belongs to (5.1.6)."""
    stores = place.form.instruction.access == "store"
    if stores and base.space == "param":
        message, label = "writes a parameter of a kernel, which is read-only", "a kernel's parameter"
        wanted = "a `.param` variable of the body, or the function's result"
    elif stores and base.space == "argument":
        message, label = "writes what the function is given, which is read-only", "given to the function"
        wanted = "a `.param` variable of the body, or the function's result"
    elif not stores and base.space == "result":
        message, label = "reads the result of the function, which can only be written", "the function's result"
        wanted = "what the function is given, or a `.param` variable of the body"
    elif base.space == "param" and place.space == "frame":
        message, label = "is for parameters of functions, and this is one of a kernel", "a kernel's parameter"
        wanted = "a parameter of a function"
    elif base.space == "frame" and ("param::entry" in place.m.written or not place.form.instruction.access):
        message, label = "is for parameters of kernels, and this is one of a call", "no kernel's parameter"
        wanted = "a parameter of the kernel"
    else:
        return None
    return place.problem(
        "state-space",
        f"`{place.opcode}` {message}",
        where,
        label,
        expected=wanted,
        actual=label,
        rule="PTX ISA, Parameter State Space (5.1.6)",
        help="if it is a pointer: `ld.param.u64 %rd, {};`, then store to `[%rd]` in `.global`"
        if stores and base.type is not None and base.type.width == 64
        else "compute in a register, and store it through a pointer"
        if stores
        else None,
    )


def guarded_parameter(operands: tuple[Kind, ...] | list[Kind]) -> int | None:
    """The operand that is in a `.param` variable of the body: accesses to it cannot be guarded (5.1.6.2; measured)."""
    for i, kind in enumerate(operands):
        if kind.sort == kinds.ADDRESS and kind.parts[0].space == "frame":
            return i
    return None


def guard_problem(opcode: str, number: int) -> Problem:
    """The problem of a guarded access to an argument or a result of a call."""
    return Problem(
        "state-space", f"`{opcode}` accesses a parameter or result of a call, and can't have a guard", (number,),
        "in the body's `.param`",
        expected="no guard", actual="a guard", rule="PTX ISA, Device Function Parameters (5.1.6.4)",
        help="branch around the call instead",
    )  # fmt: skip


def access_size(place: Place) -> int:
    """The bytes that an instruction accesses at its address; 0 if its type does not determine that."""
    type = place.m.values.get("type")
    if not place.form.instruction.access or type is None:
        return 0
    vec = place.m.values.get("vec")
    return max(1, type.width // 8) * (int(vec[1:]) if isinstance(vec, str) else 1)
