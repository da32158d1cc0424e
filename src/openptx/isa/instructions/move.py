"""Moves between registers and lanes (9.7.9.3 to 9.7.9.7)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning
from openptx.numerics import S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine, Word
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

mov = instruction(
    "mov",
    anchor="data-movement-and-conversion-instructions-mov",
    summary="d = a: a register, an immediate, a special register, or the address of a variable or function.",
    syntax="""
        mov.type   d, a;   // PTX 1.0
        .type = { .pred, .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
        mov.b128   d, a;   // PTX 8.3, sm_70
    """,
    gates="""
        .f64   sm_13
    """,
    operands="""
        *   negated, variable, special
        a   functions
    """,
    algebra="copy",
)

mov_vector = instruction(
    "mov",
    anchor="data-movement-and-conversion-instructions-mov",
    summary="d = a, element by element.",
    syntax="""
        mov.vec.type   d, a;   // PTX 1.0 (ptxas)
        .vec  = { .v2, .v4 };
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
    """,
    vectors={"d": "vec", "a": "vec"},
    rejects="""
        .v4 .b64|.u64|.s64|.f64   vectors are of 128 bits at most
    """,
    operands="""
        *   negated, variable, special, integers in lists
        a   functions, sinks in lists, one value
    """,
)


@meaning(mov_vector)
def _(x: Machine, m: Modifiers, a: tuple[Bits | None, ...]) -> tuple[Bits, ...]:
    """The elements, and zeros for sinks among them, as in code of the assembler."""
    return tuple(x.const(0, m.type.width) if element is None else element for element in a)


@meaning(mov)
def _(x: Machine, m: Modifiers, a: Word | tuple[Bits, ...]) -> Word | tuple[Bits, ...]:
    """`mov.b128 d, %ntid` packs the four components, as code of the assembler does."""
    return (x.join(a[:2]), x.join(a[2:])) if isinstance(a, tuple) and len(a) == 4 else a


def mov_elements(m: Modifiers) -> int:
    """The maximum number of elements in a packed type; two and four are allowed wherever elements are whole bytes."""
    return 2 if m.type.width in (16, 128) else 4


mov_pack = instruction(
    "mov",
    anchor="data-movement-and-conversion-instructions-mov-2",
    summary="d = the elements of a packed into one register, the first in the lowest bits, or the reverse.",
    syntax="""
        mov.type   d, a;   // PTX 1.0
        .type = { .b16, .b32, .b64 };
        mov.b128   d, a;   // PTX 8.3, sm_70
    """,
    vectors={"d": mov_elements, "a": mov_elements},
    operands="""
        *     negated, variable, special
        a     functions, sinks in lists
        d a   packed
    """,
)


@meaning(mov_pack)
def _(x: Machine, m: Modifiers, a: Word | tuple[Bits, ...]) -> Word | tuple[Bits, ...]:
    """Packs or unpacks, depending on which operand is a list. `m.elements` is the length of a list of results."""
    words = a if isinstance(a, tuple) else (a,)
    if elements := int(m.elements or 0):
        return a if elements == 1 else unpacked(x, words, elements // len(words))
    if m.type.width == 128:
        low, high = (words[: len(words) // 2], words[len(words) // 2 :])
        return (x.join(low), x.join(high)) if len(words) > 2 else a
    return x.join(words) if len(words) > 1 else a


def unpacked(x: Machine, words: tuple[Bits, ...], elements: int) -> tuple[Bits, ...]:
    """The elements of each of these words."""
    return tuple(
        part for word in words for part in (x.split(word, word.width // elements) if elements > 1 else (word,))
    )


_SHUFFLE_TYPES = {"b": "u32", "c": "u32"}

shfl = instruction(
    "shfl",
    anchor="data-movement-and-conversion-instructions-shfl",
    summary="d = the value of a in another lane of the warp; p = whether that lane is in range. Deprecated.",
    syntax="""
        shfl.mode.b32   d[|p], a, b, c;   // PTX 3.0 to 6.3, sm_30 or PTX 3.0, sm_30 to sm_62
        .mode = { .up, .down, .bfly, .idx };
    """,
    types=_SHUFFLE_TYPES,
    operands="""
        p     sink
        a     passed on
        b c   as .b32
    """,
    across_lanes=True,
)


@meaning(shfl)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> tuple[Bits, Bits]:
    return exchange(x, m, a, b, c)


def exchange(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> tuple[Bits, Bits]:
    """`a` of the lane that `b` selects, if that lane is in the segment and within the bound that `c` gives."""
    lane, offset = x.lane(), b & 31
    segment, bound = (c >> 8) & 31, c & 31
    first = lane & segment
    last = first | (bound & ~segment)
    j = {
        "up": lambda: lane - offset,
        "down": lambda: lane + offset,
        "bfly": lambda: lane ^ offset,
        "idx": lambda: first | (offset & ~segment),
    }[m.mode]()
    inside = ~x.less(S, j, last) if m.mode == "up" else ~x.less(S, last, j)
    d, inactive = x.shuffle(a, x.select(inside, j, lane)), x.inactive()
    if inactive is not None:  # the document leaves open what an inactive lane gives: an H100 gives 0
        d = x.pick(inside & x.resize(inactive >> (j & 31), 1), 0, d)
    return d, inside


shfl_sync = instruction(
    "shfl",
    anchor="data-movement-and-conversion-instructions-shfl-sync",
    summary="d = the value of a in another lane of membermask; p = whether that lane is in range.",
    syntax="""
        shfl.sync.mode.b32   d[|p], a, b, c, membermask;   // PTX 6.0, sm_30
        .mode = { .up, .down, .bfly, .idx };
    """,
    types=_SHUFFLE_TYPES,
    converges="membermask",
    operands="""
        p     sink
        a     passed on
        b c   as .b32
    """,
)


@meaning(shfl_sync)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits, members: Bits) -> tuple[Bits, Bits]:
    return exchange(x, m, a, b, c)


prmt = instruction(
    "prmt",
    anchor="data-movement-and-conversion-instructions-prmt",
    summary="d = four of the eight bytes of b:a, selected by c.",
    syntax="""
        prmt.b32{.mode}   d, a, b, c;   // PTX 2.0, sm_20
        .mode = { .f4e, .b4e, .rc8, .ecl, .ecr, .rc16 };
    """,
    operands="""
        a b   passed on
    """,
)


@meaning(prmt)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    source = x.concat(b, a)
    if not m.mode:
        return x.join([generic_byte(x, source, c >> 4 * i) for i in range(4)])
    places = [byte_selector(m.mode, i, c & 3) for i in range(4)]
    return x.join([x.resize(source >> ((place & 7) << 3), 8) for place in places])


def generic_byte(x: Machine, source: Bits, selector: Bits) -> Bits:
    """The byte that three bits select; the fourth bit replicates its sign."""
    v = x.resize(source >> ((selector & 7) << 3), 8)
    return x.select((selector & 8) != 0, x.shr(S, v, 7), v)


def byte_selector(mode: str, i: int, c: Bits) -> Bits:
    """Which of the eight bytes becomes byte `i`; only the low three bits count."""
    x = c.x
    match mode:
        case "f4e":
            return c + i
        case "b4e":
            return c - i
        case "rc8":
            return c
        case "ecl":
            return x.select(c < i, x.const(i, 32), c)
        case "ecr":
            return x.select(c < i, c, x.const(i, 32))
        case _:  # rc16
            return ((c & 1) << 1) + (i & 1)
