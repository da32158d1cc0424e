"""Loads and stores (9.7.9.8 to 9.7.9.11)."""

from __future__ import annotations

from functools import partial

from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine, Word
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

_TYPES = "{ .b8, .b16, .b32, .b64, .b128, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 }"
_CHOICES = """
        .level1::eviction_priority = { .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last,
                                       .L1::no_allocate };
        .level2::eviction_priority = { .L2::evict_normal, .L2::evict_first, .L2::evict_last };
        .level::cache_hint         = { .L2::cache_hint };
        .level::prefetch_size      = { .L2::64B, .L2::128B, .L2::256B, .L1::32B };
        .scope                     = { .cta, .cluster, .gpu, .sys };
        .vec                       = { .v2, .v4, .v8 };
"""
_FAR = "space=local|const|param|frame|shared|shared::cluster"
_WIDE = """
        .v2|.v4|.v8 .b128                        a vector of `.b128` is too wide
        .v8 .b64|.u64|.s64|.f64                  eight elements of 64 bits are too wide
"""
_MANUAL_REJECTS = """
        .v8 .b8|.u8|.s8|.b16|.u16|.s16           `.v8` needs elements of 32 bits
        .mmio .acquire|.release                  `.mmio` is `.relaxed` in PTX ISA 9.1
        .L1::32B                                 `ld` prefetches to the L2 cache only
"""
_REJECTS = (
    _WIDE
    + f"""
        .v8 .b32|.u32|.s32|.f32 {_FAR}                               256 bits at once are for global memory
        .v4 .b64|.u64|.s64|.f64 {_FAR}           256 bits at once are for global memory
        .volatile space=const|param|frame        `.volatile` is for global, shared and local memory
        .relaxed|.acquire|.release space=const|param|frame|local   ordered accesses are for global and shared memory
        .L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate {_FAR}  \
                                                 eviction priorities are for global memory
        .L1::32B|.L2::64B|.L2::128B|.L2::256B|.L2::cache_hint {_FAR}   hints for caches are for global memory
        .L2::evict_normal|.L2::evict_first|.L2::evict_last vec=none|v2   L2 priorities need `.v8.b32` or `.v4.b64`
        .L2::evict_normal|.L2::evict_first|.L2::evict_last .v4 .b8|.u8|.s8|.b16|.u16|.s16|.b32|.u32|.s32|.f32  \
                                                 L2 priorities need `.v8.b32` or `.v4.b64`
        .L2::evict_normal|.L2::evict_first|.L2::evict_last .v8 .b8|.u8|.s8|.b16|.u16|.s16  \
                                                 L2 priorities need `.v8.b32` or `.v4.b64`
"""
)
_GATES = """
        .f64                                                    sm_13
        .b128                                                   PTX 8.3, sm_70
        .b128 .sys                                              PTX 8.4
        .weak|.relaxed|.acquire|.release                        PTX 6.0, sm_70
        .mmio .acquire|.release                                 PTX 9.3
        .cluster                                                PTX 7.8, sm_90
        .shared::cta                                            PTX 7.8, sm_30
        .shared::cluster                                        PTX 7.8, sm_90
        .param::entry|.param::func                              PTX 8.3
        .ca|.cg|.cs|.lu|.cv|.wb|.wt                             PTX 2.0, sm_20
        space=generic                                           PTX 2.0, sm_20
        .L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate   PTX 7.4, sm_70
        .L2::evict_normal|.L2::evict_first|.L2::evict_last      PTX 8.8, sm_100
        .L1::32B|.L2::64B|.L2::128B                             PTX 7.4, sm_75
        .L2::256B|.L2::cache_hint                               PTX 7.4, sm_80
        .v8 .b32|.u32|.s32|.f32                                 PTX 8.8, sm_100
        .v4 .b64|.u64|.s64|.f64                                 PTX 8.8, sm_100
        .volatile .local                                        PTX 9.1
"""

_load = partial(
    instruction,
    vectors={"d": "vec"},
    allows_wider_registers=True,
    operands="""
        a   element
        d   a list of one
    """,
    access="load",
)

ld = _load(
    "ld",
    anchor="data-movement-and-conversion-instructions-ld",
    summary="d = the contents of memory at a.",
    syntax=f"""
        ld{{.weak}}{{.space}}{{.cop}}{{.level::cache_hint}}{{.level::prefetch_size}}{{.vec}}.type
                d, [a]{{.unified}}{{, cache-policy}};   // PTX 1.0
        ld{{.weak}}{{.space}}{{.level1::eviction_priority}}{{.level2::eviction_priority}}{{.level::cache_hint}}
                {{.level::prefetch_size}}{{.vec}}.type   d, [a]{{.unified}}{{, cache-policy}};   // PTX 1.0
        ld.volatile{{.space}}{{.level::prefetch_size}}{{.vec}}.type   d, [a];   // PTX 1.1
        ld.sem.scope{{.space}}{{.level1::eviction_priority}}{{.level2::eviction_priority}}{{.level::cache_hint}}
                {{.level::prefetch_size}}{{.vec}}.type   d, [a]{{, cache-policy}};   // PTX 6.0, sm_70

        ld.mmio.sem.scope{{.global}}.type   d, [a];   // PTX 8.2, sm_70
        .sem   = {{ .relaxed, .acquire }};
        .scope = {{ .sys }};

        .space = {{ .const, .global, .local, .param{{::entry, ::func}}, .shared{{::cta, ::cluster}} }};
        .cop   = {{ .ca, .cg, .cs, .lu, .cv }};
        .sem   = {{ .relaxed, .acquire }};
        .type  = {_TYPES};
    """
    + _CHOICES,
    defaults={"space": "generic"},
    gates=_GATES,
    rejects=_REJECTS,
    manual_rejects=_MANUAL_REJECTS,
)


@meaning(ld)
def _(x: Machine, m: Modifiers, a: Bits, policy: Bits | None = None) -> Word | tuple[Bits, ...]:
    return load(x, m, a)


def load(x: Machine, m: Modifiers, a: Bits) -> Word | tuple[Bits, ...]:
    """Loads one element, or a tuple of them with `.vec`; an element of 128 bits is a pair of words (low, high)."""
    if m.type.width == 128:
        low, high = x.load(m.space, a, 64, 2)
        return low, high
    found = x.load(m.space, a, m.type.width, int(m.vec[1:]) if m.vec else 1)
    return found if m.vec else found[0]


ld_global_nc = _load(
    "ld",
    anchor="data-movement-and-conversion-instructions-ld-global-nc",
    summary="d = the contents of global memory at a, through the non-coherent cache; the kernel must not write them.",
    syntax=f"""
        ld.global{{.cop}}.nc{{.level::cache_hint}}{{.level::prefetch_size}}{{.vec}}.type
                d, [a]{{, cache-policy}};   // PTX 3.1, sm_32
        ld.global.nc{{.level1::eviction_priority}}{{.level2::eviction_priority}}{{.level::cache_hint}}
                {{.level::prefetch_size}}{{.vec}}.type   d, [a]{{, cache-policy}};   // PTX 3.1, sm_32
        .cop   = {{ .ca, .cg, .cs }};
        .type  = {_TYPES};
    """
    + _CHOICES,
    gates=_GATES,
    rejects=_REJECTS,
    manual_rejects=_MANUAL_REJECTS,
)


@meaning(ld_global_nc)
def _(x: Machine, m: Modifiers, a: Bits, policy: Bits | None = None) -> Word | tuple[Bits, ...]:
    return load(x, m, a)


ldu = _load(
    "ldu",
    anchor="data-movement-and-conversion-instructions-ldu",
    summary="d = the contents of read-only global memory at an address that is the same in all threads of the warp.",
    syntax=f"""
        ldu{{.space}}{{.vec}}.type   d, [a];   // PTX 2.0, sm_20
        .space = {{ .global }};
        .vec   = {{ .v2, .v4 }};
        .type  = {_TYPES};
    """,
    defaults={"space": "generic"},
    gates="""
        .b128   PTX 8.3, sm_70
    """,
    rejects=_WIDE
    + """
        .v4 .b64|.u64|.s64|.f64                  256 bits at once are for `ld`
    """,
)


@meaning(ldu)
def _(x: Machine, m: Modifiers, a: Bits) -> Word | tuple[Bits, ...]:
    return load(x, m, a)


st = instruction(
    "st",
    anchor="data-movement-and-conversion-instructions-st",
    summary="Memory at a = b.",
    syntax=f"""
        st{{.weak}}{{.space}}{{.cop}}{{.level::cache_hint}}{{.vec}}.type   [a], b{{, cache-policy}};   // PTX 1.0
        st{{.weak}}{{.space}}{{.level1::eviction_priority}}{{.level2::eviction_priority}}{{.level::cache_hint}}
                {{.vec}}.type   [a], b{{, cache-policy}};   // PTX 1.0
        st.volatile{{.space}}{{.vec}}.type   [a], b;   // PTX 1.1
        st.sem.scope{{.space}}{{.level1::eviction_priority}}{{.level2::eviction_priority}}{{.level::cache_hint}}
                {{.vec}}.type   [a], b{{, cache-policy}};   // PTX 6.0, sm_70

        st.mmio.sem.scope{{.global}}.type   [a], b;   // PTX 8.2, sm_70
        .sem   = {{ .relaxed, .release }};
        .scope = {{ .sys }};

        .space = {{ .global, .local, .param{{::func}}, .shared{{::cta, ::cluster}} }};
        .cop   = {{ .wb, .cg, .cs, .wt }};
        .sem   = {{ .relaxed, .release }};
        .type  = {_TYPES};
    """
    + _CHOICES,
    vectors={"b": "vec"},
    defaults={"space": "generic"},
    gates=_GATES
    + """
        space=param   PTX 2.0, sm_20
    """,
    rejects=_REJECTS,
    manual_rejects=_MANUAL_REJECTS,
    allows_wider_registers=True,
    operands="""
        a   element
        b   a list of one, sinks in 256 bits, padded, passed on by .param.b8
    """,
    access="store",
)


@meaning(st)
def _(x: Machine, m: Modifiers, a: Bits, b: Word | tuple[Bits | None, ...], policy: Bits | None = None) -> None:
    if not isinstance(b, tuple):
        x.store(m.space, a, (b,))
        return
    parts = [(i, part) for i, part in enumerate(b) if part is not None]
    if len(parts) == len(b):
        x.store(m.space, a, tuple([part for _, part in parts]))
        return
    for i, part in parts:  # `_` leaves its place unchanged
        x.store(m.space, a + i * (m.type.width // 8), (part,))
