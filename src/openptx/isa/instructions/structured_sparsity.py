"""Keeping two elements of four, in registers and from tensor memory (PTX ISA 9.4: 9.7.10.30, 9.7.10.31, 9.7.18.8.3)."""

from __future__ import annotations

from openptx.isa.fidelity import modelled
from openptx.isa.instructions.tensor_memory import load_words, reduced_words
from openptx.isa.notation import instruction, meaning
from openptx.isa.notation.forms import Modifiers
from openptx.isa.semantics import sparsity
from openptx.isa.semantics.elements import as_tuple, one_or_tuple
from openptx.isa.semantics.matrix import products
from openptx.isa.types import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

    Registers = Bits | tuple[Bits, ...]

_ANCHOR = "data-movement-and-conversion-instructions-"
_NUMBERS = ".num = { .x1, .x2, .x4, .x8, .x16, .x32, .x64 };"


def _bits(slot: str, m: Modifiers) -> int:
    value = m.values.get(slot)
    return value.width if isinstance(value, Type) else int(str(value)[1:])


def _factors(m: Modifiers) -> tuple[int, int]:
    """How many elements are kept of how many: 2 and 4 for `.sp::2:4`."""
    kept, given = (m.sp or "sp::2:4").removeprefix("sp::").split(":")
    return int(kept), int(given)


def _number(m: Modifiers) -> int:
    return int((m.num or "x4")[1:])


def _registers(bits: int) -> int:
    return -(-bits // 32)


spcompress = instruction(
    "spcompress",
    anchor=_ANCHOR + "spcompress",
    summary="cdata = the two largest or smallest of each four elements of data; mdata = their positions.",
    syntax=f"""
        spcompress.elemsize.idxsize.sp.num   mdata, cdata, data, spdesc;   // PTX 9.4, sm_107a (ptxas)
        .elemsize = {{ .b8, .b16 }};
        .idxsize  = {{ .b2, .b4 }};
        .sp  = {{ .sp::2:4 }};
        {_NUMBERS}
    """,
    types=dict.fromkeys(("mdata", "cdata", "data", "spdesc"), "b32"),
    vectors={
        "mdata": lambda m: max(_number(m) * _bits("idxsize", m) // _bits("elemsize", m), 1),
        "cdata": _number,
        "data": lambda m: 2 * _number(m),
    },
    writes="mdata cdata",
    operands="""
        data          registers in lists, as .b32
        mdata cdata   as .b32
        spdesc        registers, as .b32
    """,
)

TIES = modelled("PTX ISA 9.4, 9.7.10.30; a guess: of equal elements those with lower positions are kept")


@meaning(spcompress, fidelity=TIES)
def _(x: Machine, m: Modifiers, data: tuple[Bits, ...], descriptor: Bits) -> tuple[Registers, Registers]:
    size = _bits("elemsize", m)
    wrong = "a descriptor of `spcompress` whose type does not have the size of the elements"
    type = descriptor >> 2
    x.require((type <= 5) if size == 8 else (type <= 1), "undefined-behavior", wrong)
    elements = sparsity.unpacked(x, data, size)
    keys, nans = sparsity.order(x, elements, size, descriptor)
    kept, places = sparsity.two_of_four(x, elements, keys, nans)
    cdata, mdata = sparsity.packed(kept, size), sparsity.packed(places, _bits("idxsize", m))
    return one_or_tuple(mdata), one_or_tuple(cdata)


spdecompress = instruction(
    "spdecompress",
    anchor=_ANCHOR + "spdecompress",
    summary="data = the elements of cdata at the positions in mdata, zeros elsewhere.",
    syntax=f"""
        spdecompress.elemsize.idxsize.sp.num   data, mdata, cdata;   // PTX 9.4, sm_107a (ptxas)
        .elemsize = {{ .b8, .b16 }};
        .idxsize  = {{ .b2, .b4 }};
        .sp  = {{ .sp::1:2, .sp::1:4, .sp::1:8, .sp::1:16, .sp::2:4, .sp::2:8, .sp::2:16, .sp::4:8, .sp::4:16 }};
        {_NUMBERS}
    """,
    types=dict.fromkeys(("mdata", "cdata", "data"), "b32"),
    vectors={
        "data": lambda m: _registers(_factors(m)[1] * _bits("elemsize", m) * _number(m)),
        "mdata": lambda m: _registers(_factors(m)[0] * _bits("idxsize", m) * _number(m)),
        "cdata": lambda m: _registers(_factors(m)[0] * _bits("elemsize", m) * _number(m)),
    },
    writes="data",
    operands="""
        mdata cdata   registers in lists, as .b32
        data          as .b32
    """,
    rejects="""
        .b2 .sp::1:8|.sp::1:16|.sp::2:8|.sp::2:16|.sp::4:8|.sp::4:16   positions of two bits name one of four elements
        .b16 .sp::4:8|.sp::4:16                                        what is kept of a group has at most 32 bits
        .b8 .sp::1:2 .x1                                               the result has at least 32 bits
        .sp::1:16|.sp::2:16|.sp::4:16 .x64                             the result has at most 4096 bits
        .b16 .sp::1:16|.sp::2:16 .x32                                  the result has at most 4096 bits
        .b16 .sp::1:8|.sp::2:8 .x64                                    the result has at most 4096 bits
    """,
)


@meaning(spdecompress)
def _(x: Machine, m: Modifiers, mdata: Registers, cdata: Registers) -> Registers:
    kept, given = _factors(m)
    size, count = _bits("elemsize", m), kept * _number(m)
    elements = sparsity.unpacked(x, as_tuple(cdata), size)[:count]
    places = sparsity.unpacked(x, as_tuple(mdata), _bits("idxsize", m))[:count]
    found: list[Bits] = []
    for i in range(0, count, kept):
        for position in range(given):
            element = x.const(0, 32)
            for k in range(i, i + kept):
                element = element | x.pick(places[k] == position, elements[k], 0)
            found.append(element)
    return one_or_tuple(sparsity.packed(found, size))


ld_spcompress = instruction(
    "tcgen05.ld.spcompress",
    anchor="tcgen05-instructions-tcgen05-ld",
    summary="cdata = the two largest or smallest of each four words of tensor memory; mdata = their positions.",
    syntax="""
        tcgen05.ld.spcompress.sync.aligned.shape.num.op.sp{.abs}.f32.b2
                mdata, cdata, [taddr];   // PTX 9.4, sm_107a (ptxas)
        .shape = { .32x32b };
        .num   = { .x4, .x8, .x16, .x32, .x64, .x128 };
        .op    = { .min, .max };
        .sp    = { .sp::2:4 };
    """,
    types={"mdata": "b32", "cdata": "b32"},
    vectors={"mdata": lambda m: max(_number(m) // 32, 1), "cdata": lambda m: _number(m) // 2},
    writes="mdata cdata",
    operands="mdata cdata   as .b32",
)

ld_red_spcompress = instruction(
    "tcgen05.ld.red.spcompress",
    anchor="tcgen05-instructions-tcgen05-ld",
    summary="The same as `tcgen05.ld.spcompress`, and redval = the minimum or maximum of all words.",
    syntax="""
        tcgen05.ld.red.spcompress.sync.aligned.shape.num.op.sp{.abs}{.NaN}.f32.b2
                mdata, cdata, redval, [taddr];   // PTX 9.4, sm_107a (ptxas)
        .shape = { .32x32b };
        .num   = { .x4, .x8, .x16, .x32, .x64, .x128 };
        .op    = { .min, .max };
        .sp    = { .sp::2:4 };
    """,
    types={"mdata": "b32", "cdata": "b32", "redval": "f32"},
    vectors={"mdata": lambda m: max(_number(m) // 32, 1), "cdata": lambda m: _number(m) // 2},
    writes="mdata cdata redval",
    operands="""
        mdata cdata   as .b32
        redval        a list of one
    """,
)


@meaning(ld_spcompress, ld_red_spcompress, fidelity=TIES)
def _(x: Machine, m: Modifiers, address: Bits) -> tuple[Registers, ...]:
    """Completes immediately."""
    products.whole_warp(x, m.form.instruction.name)
    words = load_words(x, m, address, None)
    smallest = x.const(2 * (m.op == "min") + bool(m.abs), 32)
    keys, nans = sparsity.order(x, words, 32, smallest)
    kept, places = sparsity.two_of_four(x, words, keys, nans)
    found = one_or_tuple(sparsity.packed(places, 2)), one_or_tuple(kept)
    return (*found, reduced_words(x, m, words)) if m.form.instruction is ld_red_spcompress else found
