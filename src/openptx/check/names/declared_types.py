"""The types of declarations: types, vectors, arrays, alignments (5.2.1, 5.2.3, 5.4; measured)."""

from __future__ import annotations

from openptx.check.availability import B128, TYPES_SINCE
from openptx.check.foreign_spellings import TYPES as FOREIGN
from openptx.check.sizes import shape_of
from openptx.isa.special_registers import is_predefined
from openptx.isa.targets import satisfied
from openptx.isa.types import FUNDAMENTAL, TYPES
from openptx.late import late
from openptx.patterns import pattern
from openptx.syntax.declarations import InitialiserList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.context import Context
    from openptx.check.spelling import nearest
    from openptx.source import Span
    from openptx.syntax.declarations import Declarator
    from openptx.syntax.declarations import Variable as Declaration
else:
    nearest = late("openptx.check.spelling", "nearest")

_TYPES = "a type is a letter and a size, as `.u32`, `.b64` and `.f32` are, or `.pred`"
_FUNDAMENTAL = "PTX ISA, Fundamental Types (5.2.1), Table 8"
OPAQUE = frozenset(("texref", "samplerref", "surfref"))
# Types that the assembler accepts in declarations of registers or arrays, on which its code generator then crashes.
_CRASHING_REGISTERS = frozenset(("e2m3x4", "e3m2x4", "e2m1x4", "ue8m0x4"))
_CRASHING_ARRAYS = frozenset((
    "e4m3", "e5m2", "f32x2", "u16x2", "s16x2", "e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2", "ue8m0x2",
    "e4m3x4", "e5m2x4", "s2f6x2", *_CRASHING_REGISTERS,
))  # fmt: skip


class Misfit:
    """One problem with a declaration. `at` is "type" or "name" if there is no span."""

    __slots__ = ("about", "actual", "at", "expected", "help", "label", "message", "replacement", "rule", "span")

    def __init__(
        self, about: str, message: str, at: str = "type", label: str = "", *, span: Span | None = None,
        expected: str | None = None, actual: str | None = None, rule: str | None = None, help: str | None = None,
        replacement: str | None = None,
    ) -> None:  # fmt: skip
        self.about, self.message, self.at, self.label, self.span = about, message, at, label, span
        self.expected, self.actual, self.rule, self.help = expected, actual, rule, help
        self.replacement = replacement


def type_problem(
    declaration: Declaration, declarator: Declarator, context: Context, unsized: bool = False
) -> Misfit | None:
    """The problems with the type, vector, dimensions or alignment of a declared name. `unsized`: it may be `a[]`."""
    name = declaration.type
    if name not in FUNDAMENTAL and name not in OPAQUE:
        register, array = declaration.space == "reg", bool(declarator.dimensions)
        found = _not_fundamental(name, register, array, context, declaration.vector)
        if found.about == "register-type" or register:
            return found
        return _alignment(declaration) or _dimensions(declaration, declarator, unsized) or found
    return (
        _predicate(declaration)
        or _vector(declaration)
        or _of_its_space(declaration, declarator)
        or _alignment(declaration)
        or _count(declarator)
        or _dimensions(declaration, declarator, unsized)
    )


def prototype_problem(declaration: Declaration, context: Context, unsized: bool) -> Misfit | None:
    """The problem of a parameter or a result of a `.callprototype`, for which the assembler accepts more types than for
    those of functions with a body. `unsized`: it may be `_[]`."""
    plain = declaration.type in FUNDAMENTAL or declaration.type in OPAQUE
    if not plain and (not context.follows_ptxas or declaration.type not in _CRASHING_ARRAYS or declaration.vector > 1):
        return _not_fundamental(declaration.type, False, False, context, declaration.vector)
    shaped = declaration.vector > 1 or declaration.names[0].dimensions
    return (
        (_predicate(declaration) if shaped else None)
        or (_vector(declaration) if plain else None)
        or _alignment(declaration)
        or _open(declaration, unsized)
    )


def _open(declaration: Declaration, unsized: bool) -> Misfit | None:
    """An array without a length that is not the last parameter, or in a register."""
    if shape_of(declaration.names[0]) != (0,) or (declaration.space == "param" and unsized):
        return None
    return _size("only the last parameter can be an array without a length, in `.param`", None, "give it a length")


def _predicate(declaration: Declaration) -> Misfit | None:
    scalar = declaration.space == "reg" and declaration.vector <= 1 and not declaration.names[0].dimensions
    if declaration.type != "pred" or scalar:
        return None
    return Misfit(
        "register-type", "a predicate can only be a scalar register", label="not a scalar register",
        expected=".reg .pred", rule="PTX ISA, Fundamental Types (5.2.1)",
    )  # fmt: skip


def _vector(declaration: Declaration) -> Misfit | None:
    name, count = declaration.type, declaration.vector
    if count <= 1:
        return None
    rule = "PTX ISA, Vectors (5.4.2)"
    if name in OPAQUE:
        return Misfit("vector-declaration", f"there are no vectors of `.{name}`", label="opaque", rule=rule)
    bits = TYPES[name].width * count
    if count <= 4 and bits <= 128:
        return None
    return Misfit(
        "vector-declaration", f"a vector has at most 128 bits, and `.v{count} .{name}` has {bits}", label="too large",
        expected="at most 128 bits", actual=f"{bits} bits", rule=rule,
    )  # fmt: skip


def _of_its_space(declaration: Declaration, declarator: Declarator) -> Misfit | None:
    """Types that registers, parameters and textures cannot have."""
    name, vector, array = declaration.type, declaration.vector > 1, bool(declarator.dimensions)
    if declaration.space == "reg" and array:
        return Misfit(
            "array-size", "registers can't be an array", "name", "an array",
            rule="PTX ISA, Parameterized Variable Names (5.4.6)",
            help=f"declare several registers at once: `.reg .{name} {declarator.name.text}<...>;`",
        )  # fmt: skip
    if declaration.space == "param" and not array and (vector or name == "f16x2"):
        what = "vector" if vector else "`.f16x2`"
        return Misfit("parameter", f"a parameter can't be a {what}", label=f"a {what}", rule="PTX ISA, 5.1.6")
    if declaration.space == "tex" and (name not in ("u32", "u64") or vector or array):
        return Misfit(
            "register-type", "a texture is declared `.tex .u32` or `.tex .u64`", label="no texture",
            expected=".u32 or .u64", actual=f".{name}", rule="PTX ISA, Texture State Space (5.1.8)",
        )  # fmt: skip
    return None


def _alignment(declaration: Declaration) -> Misfit | None:
    """The alignment of a variable, and of the target of a pointer parameter."""
    pointer = declaration.pointer
    alignments = (
        (declaration.align, "PTX ISA, Alignment (5.4.5)"),
        (pointer.align if pointer is not None else None, "PTX ISA, 5.1.6.3"),
    )
    for align, rule in alignments:
        if align is None or (0 < align.value < 1 << 32 and align.value & (align.value - 1) == 0):
            continue
        most = " of at most 32 bits" if align.value >> 32 else ""
        return Misfit(
            "alignment",
            f"an alignment must be a power of two{most}, not {align.value}",
            span=align.span,
            expected="a power of two",
            actual=str(align.value),
            help=f"write `.align {1 << align.value.bit_length()}`"
            if 0 < align.value < 128
            else "the alignment is `.align 1`, `.align 2`, `.align 4` and so on up to `.align 128`",
            rule=rule,
            replacement=str(1 << align.value.bit_length()) if 0 < align.value < 128 else None,
        )
    return None


def _count(declarator: Declarator) -> Misfit | None:
    """The number of names in `%r<count>`."""
    count = declarator.count
    if count is None or not count.value >> 32:
        return None
    return Misfit(
        "array-size", f"too many names: {count.value} does not fit 32 bits", "name", span=count.span,
        expected="at most 4294967295", actual=str(count.value), rule="PTX ISA, Parameterized Variable Names (5.4.6)",
    )  # fmt: skip


def _dimensions(declaration: Declaration, declarator: Declarator, unsized: bool) -> Misfit | None:
    if declaration.space == "reg" or (unsized and shape_of(declarator) == (0,)):
        return None
    external, listed = declaration.linkage == "extern", isinstance(declarator.initialiser, InitialiserList)
    for position, length in enumerate(declarator.dimensions):
        if position == 0 and (external or (listed and length is not None and length.value == 0)):
            continue  # with initial values 0 is as if the length were open (measured)
        if length is None and (position > 0 or declarator.initialiser is None):
            help = "give it a length, or initial values; `.extern .shared` variables get theirs at the launch"
            return _size("this dimension is open, and no initialiser determines its length", None, help)
        if length is not None and length.value <= 0:
            help = (
                "write the number of its elements, or `[]` for `.extern .shared` memory of the size that a launch gives"
            )
            return _size(f"an array must have at least one element, not {length.value}", length.span, help)
    return None


def _size(message: str, span: Span | None, help: str | None = None) -> Misfit:
    return Misfit(
        "array-size", message, "name", span=span,
        expected="a positive integer", rule="PTX ISA, Array Declarations (5.4.3)",
        help=help,
    )  # fmt: skip


def _vector_of_c(name: str) -> str | None:
    """`v4 .f32` for `float4` and `f32x4`."""
    found = _VECTOR.fullmatch(name)
    plain = FOREIGN.get(found[1], found[1]) if found is not None else ""
    return f"v{found[2]} .{plain}" if found is not None and plain in FUNDAMENTAL else None


_VECTOR = pattern(r"([a-z]+[0-9]*?)x?([248])")


def _not_fundamental(name: str, register: bool, array: bool, context: Context, vector: int) -> Misfit:
    """A type that cannot be used in declarations: it does not exist, or only instructions may name it."""
    known = TYPES.get(name)
    crashing = _CRASHING_REGISTERS if not array else _CRASHING_ARRAYS if not register else ()
    if context.follows_ptxas and vector == 1 and name in crashing:
        return Misfit(
            "assembler-crash" if context.crashes_measured else "document-disagrees",
            f"NVIDIA's assembler accepts `.{name}` in this place and crashes when it generates code",
            label="no fundamental type",
            rule="PTX ISA, Packed Data Types (5.2.5)",
            expected=_held_types(name),
            replacement=f".{known.registers[-1]}" if known else None,
        )
    if known is None:
        guess = _vector_of_c(name) or FOREIGN.get(name) or nearest(name, FUNDAMENTAL)
        return Misfit(
            "register-type", f"there is no type `.{name}`", label="no type",
            expected="a fundamental type", actual=f".{name}", rule=_FUNDAMENTAL,
            help=f"did you mean `.{guess}`?" if guess else _TYPES, replacement=f".{guess}" if guess else None,
        )  # fmt: skip
    alternate = "PTX ISA, Alternate Floating-Point Data Formats (5.2.3)" if known.kind == "f" else _FUNDAMENTAL
    return Misfit(
        "register-type", f"`.{name}` is a type of instructions, and variables can't have it",
        label=f"declare it `.{known.registers[-1]}`",
        expected=_held_types(name), actual=f".{name}", rule="PTX ISA, Table 9" if known.count > 1 else alternate,
        replacement=f".{known.registers[-1]}",
    )  # fmt: skip


def _held_types(name: str) -> str | None:
    return " or ".join(f".{held}" for held in TYPES[name].registers) if name in TYPES else None


def plain_type(name: str, vector: int, context: Context) -> bool:
    """Whether a register may certainly be declared with this fundamental type."""
    target, since = context.target, TYPES_SINCE.get(name)
    if since is not None and target is not None and not satisfied(since, context.version, target):
        return False
    if name == "b128":
        return vector == 1 and target is not None and satisfied(B128, context.version, target)
    return vector == 1 or (vector in (2, 4) and name != "pred" and TYPES[name].width * vector <= 128)


def reserved(name: str) -> bool:
    """Whether a name is predefined, so that it cannot be declared."""
    return name == "_" or is_predefined(name)
