"""Atomic operations on memory (9.7.13.5, 9.7.13.6)."""

from __future__ import annotations

from openptx.isa.address_windows import SHARED, SHIFT
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics import atomic_ops
from openptx.numerics import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine, Update, Word
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

_CHOICES = """
        .space = { .global, .shared{::cta, ::cluster} };
        .scope = { .cta, .cluster, .gpu, .sys };
        .level::cache_hint = { .L2::cache_hint };
"""
_GATES = """
        space=shared|space=shared::cluster                        PTX 1.2, sm_12
        space=shared .b64|.u64|.s64                               PTX 2.0, sm_20
        space=generic                                             PTX 2.0, sm_20
        .b64|.u64|.s64 .add|.cas|.exch                            PTX 1.2, sm_12
        .b64|.u64|.s64 .and|.or|.xor|.min|.max                    PTX 3.1, sm_32
        .f32                                                      PTX 2.0, sm_20
        .f64                                                      PTX 5.0, sm_60
        .cta|.cluster|.gpu|.sys                                   PTX 5.0, sm_60
        .cluster                                                  PTX 7.8, sm_90
        .relaxed|.acquire|.release|.acq_rel                       PTX 6.0, sm_70
        .shared::cta                                              PTX 7.8, sm_30
        .shared::cluster                                          PTX 7.8, sm_90
        .L2::cache_hint                                           PTX 7.4, sm_80
        .b128 .sys                                                PTX 8.4
"""
_REJECTS = """
        space=shared|space=shared::cluster .L2::cache_hint   shared memory is not cached in L2
"""
_DEFAULTS = {"space": "generic", "sem": "relaxed"}

atom = instruction(
    "atom",
    anchor="parallel-synchronization-and-communication-instructions-atom",
    summary="d = the value at a, which is atomically replaced by the result of an operation on it, b and c.",
    syntax="""
        atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type   d, [a], b{, cache-policy};   // PTX 1.1, sm_11
        .op   = { .and, .or, .xor, .exch };
        .type = { .b32, .b64 };
        atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type   d, [a], b{, cache-policy};   // PTX 1.1, sm_11
        .op   = { .add };
        .type = { .u32, .u64, .s32, .f32, .f64 };
        atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type   d, [a], b{, cache-policy};   // PTX 1.1, sm_11
        .op   = { .inc, .dec };
        .type = { .u32 };
        atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type   d, [a], b{, cache-policy};   // PTX 1.1, sm_11
        .op   = { .min, .max };
        .type = { .u32, .u64, .s32, .s64 };
        atom{.sem}{.scope}{.space}.op.type    d, [a], b, c;   // PTX 1.1, sm_11
        .op   = { .cas };
        .type = { .b32, .b64 };
        atom{.sem}{.scope}{.space}.op.b16     d, [a], b, c;   // PTX 6.3, sm_70
        .op   = { .cas };
        atom{.sem}{.scope}{.space}.op.b128    d, [a], b, c;   // PTX 8.3, sm_90
        .op   = { .cas };
        atom{.sem}{.scope}{.space}.op{.level::cache_hint}.b128   d, [a], b{, cache-policy};   // PTX 8.3, sm_90
        .op   = { .exch };
        atom{.sem}{.scope}{.space}.op.noftz{.level::cache_hint}.f16x2   d, [a], b{, cache-policy};   // PTX 6.2, sm_60
        .op   = { .add };
        atom{.sem}{.scope}{.space}.op.noftz{.level::cache_hint}.f16     d, [a], b{, cache-policy};   // PTX 6.3, sm_70
        .op   = { .add };
        atom{.sem}{.scope}{.space}.op.noftz{.level::cache_hint}.type    d, [a], b{, cache-policy};   // PTX 7.8, sm_90
        .op   = { .add };
        .type = { .bf16, .bf16x2 };
        atom{.sem}{.scope}{.global}.op{.level::cache_hint}.vec.f32
                d, [a], b{, cache-policy};   // PTX 8.1, sm_90
        .op   = { .add };
        .vec  = { .v2, .v4 };
        atom{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type
                d, [a], b{, cache-policy};   // PTX 8.1, sm_90
        .vec  = { .v2, .v4, .v8 };
        .type = { .f16, .bf16 };
        atom{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type
                d, [a], b{, cache-policy};   // PTX 8.1, sm_90
        .vec  = { .v2, .v4 };
        .type = { .f16x2, .bf16x2 };

        .op   = { .add, .min, .max };
        .sem   = { .relaxed, .acquire, .release, .acq_rel };
    """
    + _CHOICES,
    vectors={"d": "vec", "b": "vec"},
    defaults=_DEFAULTS,
    gates=_GATES,
    rejects=_REJECTS,
    operands="""
        *     sink
        d b   integers in lists
    """,
    access="update",
    reduces="one",
    relative="red",
)


@meaning(atom)
def _(
    x: Machine, m: Modifiers, a: Bits, b: Word, c: Word | None = None, policy: Bits | None = None
) -> Word | tuple[Bits, ...]:
    if m.vec and isinstance(b, tuple):
        return each_element(x, m, a, b)
    return operate(x, m, a, *((b, c) if m.op == "cas" and c is not None else (b,)))


def each_element(x: Machine, m: Modifiers, a: Bits, b: tuple[Bits, ...]) -> tuple[Bits, ...]:
    """The elements are updated one by one; the address is aligned to the whole vector."""
    size = m.type.width >> 3
    whole = (a & (size * len(b) - 1)) == 0
    x.require(
        whole, "misaligned-access", f"an access of {size * len(b)} bytes at an address that is not a multiple of it"
    )
    old = [operate(x, m, a + size * i, element) for i, element in enumerate(b)]
    return tuple(q for q in old if not isinstance(q, tuple))


def operate(x: Machine, m: Modifiers, a: Bits, *operands: Word) -> Word:
    """Performs one atomic operation and returns the old word."""
    if m.type.name == "f32" and m.op == "add":
        # Subnormal numbers are flushed in global memory and kept in shared memory.
        shared = (a >> SHIFT[64]) == SHARED if m.space == "generic" else x.const(int(m.space != "global"), 1)
        operands = (*operands, x.resize(shared, 32))
    return x.atomic(m.space, a, m.type.width, update(m), *operands)


def update(m: Modifiers) -> Update:
    """The update function: what replaces the old word."""
    t = m.type.element
    if t.format is not None:
        f = FORMATS[t.format]
        one = atomic_ops.float_sum(f) if m.op == "add" else atomic_ops.float_extreme(f, m.op == "max")
        return one if m.type.count == 1 else atomic_ops.each(one, t.width)
    return atomic_ops.integer_update(m.op, t.signed)


red = instruction(
    "red",
    anchor="parallel-synchronization-and-communication-instructions-red",
    summary="The value at a is atomically replaced by the result of an operation on it and b.",
    syntax="""
        red{.sem}{.scope}{.space}.op{.level::cache_hint}.type   [a], b{, cache-policy};   // PTX 1.2, sm_11
        .op   = { .and, .or, .xor };
        .type = { .b32, .b64 };
        red{.sem}{.scope}{.space}.op{.level::cache_hint}.type   [a], b{, cache-policy};   // PTX 1.2, sm_11
        .op   = { .add };
        .type = { .u32, .u64, .s32, .f32, .f64 };
        red{.sem}{.scope}{.space}.op{.level::cache_hint}.type   [a], b{, cache-policy};   // PTX 1.2, sm_11
        .op   = { .inc, .dec };
        .type = { .u32 };
        red{.sem}{.scope}{.space}.op{.level::cache_hint}.type   [a], b{, cache-policy};   // PTX 1.2, sm_11
        .op   = { .min, .max };
        .type = { .u32, .u64, .s32, .s64 };
        red{.sem}{.scope}{.space}.op.noftz{.level::cache_hint}.f16x2   [a], b{, cache-policy};   // PTX 6.2, sm_60
        .op   = { .add };
        red{.sem}{.scope}{.space}.op.noftz{.level::cache_hint}.f16     [a], b{, cache-policy};   // PTX 6.3, sm_70
        .op   = { .add };
        red{.sem}{.scope}{.space}.op.noftz{.level::cache_hint}.type    [a], b{, cache-policy};   // PTX 7.8, sm_90
        .op   = { .add };
        .type = { .bf16, .bf16x2 };
        red{.sem}{.scope}{.global}.op{.level::cache_hint}.vec.f32         [a], b{, cache-policy};   // PTX 8.1, sm_90
        .op   = { .add };
        .vec  = { .v2, .v4 };
        red{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type  [a], b{, cache-policy};   // PTX 8.1, sm_90
        .vec  = { .v2, .v4, .v8 };
        .type = { .f16, .bf16 };
        red{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type  [a], b{, cache-policy};   // PTX 8.1, sm_90
        .vec  = { .v2, .v4 };
        .type = { .f16x2, .bf16x2 };

        .op   = { .add, .min, .max };
        .sem  = { .relaxed, .release };
    """
    + _CHOICES,
    vectors={"b": "vec"},
    defaults=_DEFAULTS,
    gates=_GATES,
    rejects=_REJECTS,
    operands="b   integers in lists",
    access="update",
    reduces="one",
    relative="atom",
)


@meaning(red)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits | tuple[Bits, ...], policy: Bits | None = None) -> None:
    if isinstance(b, tuple):
        each_element(x, m, a, b)
    else:
        operate(x, m, a, b)
