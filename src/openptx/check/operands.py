"""Judges one operand: may something of this kind stand in this place of this form?"""

from __future__ import annotations

from re import fullmatch

from openptx.check import kinds
from openptx.check.agreement import Rule, rule, takes_constant
from openptx.check.places import Allowance, allowance
from openptx.check.problems import Path, Problem
from openptx.isa.operand_rules import operand_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.context import Context
    from openptx.check.kinds import Kind
    from openptx.isa.forms import Form, Modifiers, Template
    from openptx.isa.operand_rules import OperandRule
    from openptx.isa.types import Type


class Place:
    """One operand's place in a form, under certain modifiers."""

    __slots__ = ("allows", "context", "count", "form", "m", "packs", "rule", "said", "template", "type")

    def __init__(self, form: Form, m: Modifiers, template: Template, type: Type | None, context: Context) -> None:
        instruction = form.instruction
        self.form, self.m, self.template, self.type, self.context = form, m, template, type, context
        self.count = form.count(template, m) if template.vector else 0
        self.said: OperandRule = operand_rule(instruction, template.name)
        self.packs = template.vector and self.said.says("packed")
        self.rule: Rule | None = rule(form, m, template, type, context.precedent) if type is not None else None
        self.allows: Allowance = allowance(instruction, template)

    @property
    def name(self) -> str:
        """The operand as the manual calls it."""
        return self.template.name

    @property
    def opcode(self) -> str:
        """The opcode as it is written."""
        return repr(self.m)

    def takes_constant(self, kind: Kind) -> bool:
        """Whether a constant suits the type; what takes integers alone takes no floats."""
        assert self.type is not None
        if self.rule is None or not self.context.precedent:
            return takes_constant(self.type, kind)
        if self.rule.strict and self.type.kind != "f" and kind.sort == kinds.FLOAT:
            return False
        return takes_constant(self.rule.type, kind)

    @property
    def takes_functions(self) -> bool:
        """Whether the assembler takes the name of a function here: not where the type is the operand's own."""
        return self.allows.function and not self.count and (self.rule is None or not self.rule.strict)

    @property
    def space(self) -> str | None:
        """The space of an address: what the opcode says of it, or where the instruction wants it."""
        said = self.form.space_of(self.name, self.m)
        return self.allows.space or said if said in (None, "generic") else said

    @property
    def writes(self) -> bool:
        """Whether this is a destination."""
        return self.template.role == "write"

    def agrees(self, declared: Type) -> bool:
        """Whether a register of this type fits here."""
        return self.rule.takes(declared) if self.rule is not None else declared.kind in "bsu"

    def expected(self) -> str:
        """The register types that fit, in words."""
        if self.rule is None:
            return "an integer register"
        return words([f"`.{name}`" for name in self.rule.registers()])


def words(items: list[str]) -> str:
    """`a`, `b` or `c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}" if items else "nothing"


def judge(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """What is wrong with an operand, and what is only doubtful."""
    match place.template.role:
        case "label":
            if kind.sort != kinds.NAME:
                yield Problem(
                    "branch-target",
                    f"`{place.opcode}` goes to a label",
                    where,
                    f"this is `{kind.text}`" if kind.sort == kinds.REGISTER else f"this is {kind.text}",
                    operand=place.name,
                    expected="a label",
                    actual=kind.text,
                    rule="PTX ISA, Labels and Function Names as Operands (6.4.4)",
                )
        case "targets" | "prototype":
            if kind.sort != kinds.TABLE or kind.space not in _TABLES[place.template.role]:
                yield _wrong_kind(place, kind, where, _table(place), "target-list")
        case "function":
            if kind.sort == kinds.FUNCTION and kind.space == "entry":
                yield Problem("call-of-entry", "`{}` is a kernel; only a `.func` can be called", where, "a kernel")
            elif kind.sort not in (kinds.FUNCTION, kinds.NAME, kinds.REGISTER):
                yield _wrong_kind(place, kind, where, "a function", "wrong-kind-of-name")
        case "returns" | "arguments":
            if kind.sort != kinds.ARGUMENTS:
                yield _wrong_kind(place, kind, where, "a list in parentheses")
        case "address":
            from openptx.check.addresses import judge_address

            yield from judge_address(place, kind, where)
        case "sink":
            if kind.sort != kinds.SINK:
                yield _wrong_kind(place, kind, where, "the sink `_`")
        case "immediate":
            if kind.sort != kinds.INTEGER:
                yield _wrong_kind(place, kind, where, "an integer constant")
        case _:
            yield from value(place, kind, where)


_TABLES = {"targets": ("branchtargets", "calltargets"), "prototype": ("callprototype",)}


def _table(place: Place) -> str:
    if place.template.role == "prototype":
        return "the label of a `.callprototype`"
    return f"the label of a `.{'calltargets' if place.form.instruction.control == 'call' else 'branchtargets'}`"


def value(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """An operand that holds or takes a value."""
    match kind.sort:
        case kinds.REGISTER:
            yield from _register(place, kind, where)
        case kinds.VECTOR:
            yield from _vector(place, kind, where)
        case kinds.LIST:
            from openptx.check.lists import judge_list

            yield from judge_list(place, kind, where)
        case kinds.SINK:
            if not (place.writes and place.allows.sink):
                yield Problem(
                    "sink",
                    f"`_` can't stand for operand `{place.name}` of `{place.opcode}`",
                    where,
                    "a value is needed here" if not place.writes else "this result can't be left out",
                    operand=place.name,
                    expected=place.expected(),
                    actual="`_`",
                )
        case kinds.NAME:
            yield Problem("unknown-name", "`{}` is not declared", where, "no such name here")
        case kinds.INTEGER | kinds.FLOAT if not place.writes and (place.packs or not place.count):
            yield from constant(place, kind, where)
        case kinds.SPECIAL if not place.writes:
            yield from _special(place, kind, where)
        case kinds.NEGATED if not place.writes:
            yield from _negated(place, kind, where)
        case kinds.FUNCTION if not place.writes and place.takes_functions:
            yield from _function(place, kind, where)
        case kinds.VARIABLE | kinds.ELEMENT if not place.writes:
            yield from _variable(place, kind, where)
        case kinds.SELECTED if kind.parts[0].sort in (kinds.SPECIAL, kinds.VECTOR):
            yield _component(kind, where)
        case kinds.SELECTED if place.template.selectors:
            yield from _part(place, kind, where)
        case kinds.SUM if not place.writes and _adds(place, kind.parts[0]):
            yield from _sum(place, kind.parts[0], where)
        case kinds.MINUS if place.allows.minus:
            yield from value(place, kind.parts[0], where)
        case _ if place.writes:
            yield Problem(
                "destination",
                f"operand `{place.name}` of `{place.opcode}` is written, so it must be a register",
                where,
                f"this is {kind.text}",
                operand=place.name,
                expected=place.expected(),
                actual=kind.text,
                rule="PTX ISA, Destination Operands (6.3)",
            )
        case _:
            yield _wrong_kind(place, kind, where, _what(place))


def _component(kind: Kind, where: Path) -> Problem:
    """A component that neither vectors nor special registers have."""
    if kind.parts[0].sort == kinds.SPECIAL:
        return Problem(
            "unknown-special-register",
            "there is no special register `{}`",
            where,
            "no such component",
            expected=".x, .y, .z or .w" if kind.parts[0].count else "no component",
            actual=f".{kind.space}",
            rule="PTX ISA, Special Registers (10)",
        )
    return Problem(
        "vector-selector",
        f"a vector has no element `.{kind.space}`",
        where,
        "no such element",
        expected=".x, .y, .z, .w or .r, .g, .b, .a",
        actual=f".{kind.space}",
        rule="PTX ISA, Vectors as Operands (6.4.3)",
    )


def _part(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """A byte or a half of a register: `a.b0`, `a.h32`."""
    if any(fullmatch(selector, kind.space) for selector in place.template.selectors):
        yield from value(place, kind.parts[0], where)
        return
    selectors = " ".join(f".{selector}" for selector in place.template.selectors)
    yield Problem(
        "vector-selector",
        f"operand `{place.name}` of `{place.opcode}` has no part `.{kind.space}`",
        where,
        "no such part",
        operand=place.name,
        expected=selectors,
        actual=f".{kind.space}",
        rule="PTX ISA, Video Instructions (9.7.18)",
    )


def _adds(place: Place, base: Kind) -> bool:
    """Whether the assembler takes a register and a constant, `r+4`, here: it looks at the kind of `r` alone."""
    if not (place.context.precedent and place.allows.sum) or place.count or place.rule is None:
        return False
    if base.sort == kinds.FUNCTION:
        return place.takes_functions
    return base.sort == kinds.REGISTER and base.type is not None and place.rule.takes_sum(base.type)


def _sum(place: Place, base: Kind, where: Path) -> Iterator[Problem]:
    """Something and a constant as a value, which the document has in addresses and in `mov` alone."""
    if base.sort == kinds.FUNCTION and place.allows.address:
        from openptx.check.memory import measured

        yield Problem(
            "assembler-crash" if measured(place.context) else "document-disagrees",
            f"`{place.opcode}` can't take an address inside a function",
            where,
            "the name of a function, and a constant",
            operand=place.name,
            rule="PTX ISA, Labels and Function Names as Operands (6.4.4)",
            help="take the address of the function itself",
        )
    elif not place.allows.address:
        yield Problem(
            "document-disagrees",
            f"the assembler lets `{place.opcode}` add a constant to operand `{place.name}`, the document doesn't",
            where,
            "a sum",
            operand=place.name,
            rule="PTX ISA, Source Operands (6.2)",
            help="add it in an instruction of its own",
        )


def _what(place: Place) -> str:
    if place.count:
        return f"a list of {place.count} registers"
    return f"a register of type {place.expected()}"


def _wrong_kind(place: Place, kind: Kind, where: Path, wanted: str, about: str = "operand-kind") -> Problem:
    return Problem(
        about,
        f"operand `{place.name}` of `{place.opcode}` must be {wanted}",
        where,
        f"this is {kind.text}" if kind.sort != kinds.REGISTER else f"this is a `{kind.text}` register",
        operand=place.name,
        expected=wanted,
        actual=kind.text,
    )


def _register(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    if kind.space == "beyond":
        yield Problem(
            "selector-out-of-range" if place.context.precedent else "vector-selector",
            "the vector of `{}` has no such element",
            where,
            "beyond its end",
            operand=place.name,
            expected="an element of the vector",
            actual="one beyond its end",
            rule="PTX ISA, Vectors as Operands (6.4.3)",
        )
    if place.count and not place.packs:
        yield _wrong_kind(place, kind, where, _what(place), "vector-length")
        return
    declared = kind.type
    assert declared is not None
    if not place.agrees(declared):
        yield mismatch(place, declared, where)


def mismatch(place: Place, declared: Type, where: Path) -> Problem:
    """A register of a type that does not agree."""
    wanted = place.type
    names = place.expected()
    size = wanted is not None and wanted.kind in "bsu" and declared.kind in "bsu" and wanted.width != declared.width
    return Problem(
        "operand-size" if size else "operand-type",
        f"operand `{place.name}` of `{place.opcode}` must be a register of type {names}",
        where,
        f"this is `.{declared.name}`",
        operand=place.name,
        expected=names.replace("`", ""),
        actual=f".{declared.name}",
        rule=rule_of(place, wanted, declared),
        help=help_for(place, wanted, declared),
    )


def rule_of(place: Place, wanted: Type | None, declared: Type) -> str:
    """Where the document says so."""
    if wanted is None:
        return "PTX ISA, Instruction Operands (6)"
    if place.context.precedent and wanted.name == "e2m1x4":
        return "four values of 4 bits; PTX ISA, Table 9, says `.b32`, and the assembler refuses it (measured)"
    if place.form.instruction.converts and wanted.width < declared.width and "bf16" in place.m.written:
        return (
            "no operand of a `cvt` from or to `.bf16` may be wider than its type (measured), "
            "though PTX ISA, Tables 27 and 28, let it"
        )
    if not wanted.fundamental or wanted.count > 1:
        where = "Table 9" if wanted.count > 1 else "Alternate Floating-Point Data Formats (5.2.3)"
        return f"PTX ISA, {where}: `.{wanted.name}` is held in {words([f'`.{n}`' for n in wanted.registers])}"
    if place.rule is not None and place.rule.relaxed:
        table = "28" if place.writes else "27"
        return f"PTX ISA, Operand Size Exceeding Instruction-Type Size, Table {table}"
    return f"PTX ISA, Type Information for Instructions and Operands, Table 26: {_AGREEMENT[wanted.kind]}"


_AGREEMENT = {
    "b": "a bit type agrees with any type of its size",
    "s": "a signed type agrees with integer and bit types of its size",
    "u": "an unsigned type agrees with integer and bit types of its size",
    "f": "a floating-point type agrees with itself and with the bit type of its size",
    "pred": "predicates agree with predicates alone",
}


def help_for(place: Place, wanted: Type | None, declared: Type) -> str | None:
    """What to write instead."""
    from openptx.check.advice import conversion

    if wanted is None or place.count:
        return None
    return conversion(place, wanted, declared)


def _vector(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    declared = kind.type
    assert declared is not None
    if place.packs and place.type is not None:
        if declared.width * kind.count != place.type.width or declared.kind == "pred":
            yield _wrong_kind(place, kind, where, f"elements of {place.type.width} bits in all", "vector-length")
        return
    if place.count != kind.count or place.template.elements:
        yield _wrong_kind(place, kind, where, _what(place), "vector-length")
        return
    from openptx.check.lists import fits

    if not fits(place, place, declared):
        yield mismatch(place, declared, where)


def constant(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """A constant as a source."""
    wanted = place.type
    if wanted is None:
        if kind.sort != kinds.INTEGER:
            yield _wrong_kind(place, kind, where, "an integer")
        return
    if not place.allows.constant or (place.rule is not None and place.rule.exact):
        yield _wrong_kind(place, kind, where, _what(place))
    elif not place.takes_constant(kind):
        from openptx.check.advice import wrong_constant

        yield wrong_constant(place, kind, where)
    elif kind.sort == kinds.INTEGER and kind.bits > max(wanted.width, 8) and wanted.kind != "pred":
        yield Problem(
            "immediate-truncated",
            f"`{{}}` has more bits than the {wanted.width} of `.{wanted.name}`",
            where,
            "its upper bits are dropped",
            operand=place.name,
            expected=f".{wanted.name}",
            rule="PTX ISA, Integer Constants (4.5.1)",
        )


def _special(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    declared, wanted = kind.type, place.type
    allowed = place.allows.special and (place.allows.special != "any" or _of_integers(place.m))
    if not allowed or wanted is None or declared is None:
        yield Problem(
            "special-register-place",
            f"`{place.opcode}` can't read a special register",
            where,
            "only `mov` and integer `cvt` can",
            operand=place.name,
            expected=place.expected().replace("`", ""),
            actual="a special register",
            rule="PTX ISA, Special Registers (10)",
            help="move it into a register first: `mov.u32 %r, {};`",
        )
        return
    if wanted is declared and not kind.count:  # `%is_explicit_cluster` is a predicate
        return
    if kind.count and kind.count == place.count and wanted.kind in "bsu" and wanted.width == declared.width:
        return  # `mov.v4.u32 {%r0, %r1, %r2, %r3}, %tid`
    if kind.count and not place.count and wanted.width == declared.width:
        yield Problem(
            "operand-type",
            f"operand `{place.name}` of `{place.opcode}` is one register, and `{{}}` has four components",
            where,
            "all four of them",
            operand=place.name,
            expected="one component: .x, .y, .z or .w",
            actual="all of a special register",
            rule="PTX ISA, Special Registers (10)",
            help="write `{}.x`",
        )
        return
    total = 128 if kind.count else declared.width
    component = kind.space == "component"  # `%tid.x` and its like once had 16 bits
    fits = wanted.width == total or (wanted.width == 16 and component) or place.allows.special == "any"
    if not fits or wanted.kind not in "bsu" or kind.count * 32 not in (0, wanted.width) or place.count:
        yield mismatch(place, declared, where)


def _of_integers(m: Modifiers) -> bool:
    return all(type.kind in "su" for type in (m.dtype, m.atype))


def _negated(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    if not (place.template.negatable or place.allows.negated):
        yield Problem(
            "negation",
            f"operand `{place.name}` of `{place.opcode}` can't be negated",
            where,
            "`!` can't stand here",
            operand=place.name,
        )
        return
    inner = kind.parts[0]
    if inner.sort == kinds.REGISTER and inner.type is not None and inner.type.kind != "pred":
        yield mismatch(place, inner.type, (*where, 0))
        return
    yield from value(place, inner, (*where, 0))


def _function(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The name of a function as a value: the document has it in `call` and `mov` only (6.4.4)."""
    instruction = place.form.instruction
    wide = place.type is not None and place.type.kind in "bsu" and place.type.width >= 32
    if wide and place.said.says("functions"):
        return
    if instruction.converts or not place.context.precedent:
        from openptx.check.memory import measured

        crashes = "assembler-crash" if measured(place.context) else "document-disagrees"
        yield Problem(
            crashes if place.context.precedent else "operand-kind",
            f"`{place.opcode}` can't take the address of a function",
            where,
            "the name of a function",
            operand=place.name,
            rule="PTX ISA, Labels and Function Names as Operands (6.4.4)",
            help="take its address first: `mov.u64 %rd, {};`",
        )
        return
    yield Problem(
        "document-disagrees",
        f"the assembler lets `{place.opcode}` take the address of a function, the document doesn't",
        where,
        "the name of a function",
        operand=place.name,
        rule="PTX ISA, Labels and Function Names as Operands (6.4.4)",
        help="take its address first: `mov.u64 %rd, {};`",
    )


def _variable(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    if kind.sort == kinds.ELEMENT:
        from openptx.check.addresses import judge_element

        found = list(judge_element(kind, where))
        if found:
            yield from found
            return
    if place.allows.address and place.type is not None and place.type.kind in "bsu" and not place.count:
        yield from _address_of(place, kind, where)
        return
    wanted = place.type.kind if place.type is not None and not place.count else ""
    if not kind.literal and wanted in ("b", "s", "u") and place.allows.sum and place.context.precedent:
        yield from _sum(place, kind, where)
        return
    yield Problem(
        "operand-kind",
        f"`{place.opcode}` can't take the address of a variable as operand `{place.name}`",
        where,
        f"this is a variable in `.{kind.space}`",
        operand=place.name,
        expected=place.expected().replace("`", ""),
        actual=f"the address of a `.{kind.space}` variable",
        rule="PTX ISA, Source Operands (6.2): operands of arithmetic are registers",
        help="take its address first: `mov.u64 %rd, {};`",
    )


def _address_of(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """The address of a variable as a value: its space and its size."""
    assert place.type is not None
    space = place.allows.space or place.m.values.get("space")
    held = kinds.PARAMETERS.get(kind.space, kind.space)
    if kind.space == "frame":
        yield Problem(
            "operand-kind",
            f"`{place.opcode}` can't take the address of what a call takes or gives back",
            where,
            "in the body's `.param`",
            operand=place.name,
            rule="PTX ISA, Device Function Parameters (5.1.6.4)",
            help="copy it with `ld.param` and `st.local` to take an address",
        )
        return
    if kind.type is not None and kind.type.kind == "opaque" and place.context.precedent and place.type.name != "u64":
        yield Problem(
            "operand-type",
            f"a `.{kind.type.name}` has an address of type `.u64`, and `{place.opcode}` says `.{place.type.name}`",
            where,
            f"this is a `.{kind.type.name}`",
            operand=place.name,
            expected=".u64",
            actual=f".{place.type.name}",
            rule="PTX ISA, Texture Sampler and Surface Types (5.3)",
        )
    elif isinstance(space, str) and held not in (space, space.partition("::")[0]):
        yield Problem(
            "state-space",
            f"`{place.opcode}` converts an address in `.{space}`, but this variable is in `.{held}`",
            where,
            f"declared in `.{held}`",
            operand=place.name,
            expected=f".{space}",
            actual=f".{held}",
            rule=f"PTX ISA, {place.form.instruction.name}",
        )
    elif (
        place.type.width == 32
        and (held in ("global", "const") or (isinstance(space, str) and not place.allows.space))
        and place.context.precedent
        and not place.context.narrow
    ):
        yield Problem(
            "narrow-address",
            f"a 32-bit register can't hold every address in `.{held}`",
            where,
            "an address of 64 bits",
            operand=place.name,
            expected=".b64, .u64 or .s64",
            actual=f".{place.type.name}",
            rule="PTX ISA, Addresses as Operands (6.4.1)",
        )
