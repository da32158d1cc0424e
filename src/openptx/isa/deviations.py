"""Where the assembler deviates from the manual: one entry for each rule, with an example that shows the deviation."""

from __future__ import annotations

MEASURED = "ptxas 13.5.37"
"""The assembler version that was tested."""

ACCEPTS = "accepts"
REJECTS = "rejects"


class Deviation:
    """One deviation: what `rule` says, what the manual and the assembler do with `example`.

    `declares` are the declarations that the example needs; `name` is what a diagnostic calls the entry.
    """

    __slots__ = ("declares", "example", "manual", "name", "ptxas", "rule", "where")

    def __init__(
        self, name: str, where: str, manual: str, ptxas: str, rule: str, example: str, declares: str = ""
    ) -> None:
        self.name = name
        self.where = where
        self.manual = manual
        self.ptxas = ptxas
        self.rule = rule
        self.example = example
        self.declares = declares

    def __repr__(self) -> str:
        return f"{self.name}: the manual {self.manual}, {MEASURED} {self.ptxas} `{self.example}`"


def _rows() -> tuple[Deviation, ...]:
    a, r = ACCEPTS, REJECTS
    # fmt: off
    return (
        # Agreement of types: Tables 8, 9, 26, 27, 28.
        Deviation("pair-as-word", "9.4, Table 26", r, a,
                  "an `.f16x2` register is accepted as a 32-bit integer operand",
                  "add.u32 d, a, b;", ".reg .f16x2 d, a, b;"),
        Deviation("pair-as-predicate", "9.4", r, a,
                  "an `.f16x2` register is accepted as a predicate source operand",
                  "and.pred p, q, a;", ".reg .pred p, q; .reg .f16x2 a;"),
        Deviation("pair-for-packed-integers", "5.2.5.2", r, a,
                  "an `.f16x2` register may hold `.u16x2` and `.s16x2`",
                  "max.s16x2 d, a, d;", ".reg .b32 d; .reg .f16x2 a;"),
        Deviation("packed-e2m1x4", "5.2.5.1, Table 9", r, a,
                  "four `.e2m1` values are in a `.b16` register, not in a `.b32` one",
                  "cvt.rs.satfinite.e2m1x4.f32 d, {a, a, a, a}, r;", ".reg .b16 d; .reg .f32 a; .reg .b32 r;"),
        Deviation("vector-kinds", "6.4.3", r, a,
                  "elements of a vector that is loaded or stored need the size of the type, not its kind",
                  "ld.global.v2.f32 {a, b}, [p];", ".reg .s32 a, b; .reg .b64 p;"),
        Deviation("bf16-widening", "9.4.1, Tables 27 and 28", a, r,
                  "no operand of a `cvt` from or to `.bf16` may be wider than its type",
                  "cvt.rzi.s16.bf16 d, a;", ".reg .s32 d; .reg .b16 a;"),
        Deviation("bits-are-integers", "9.4, Table 26", a, r,
                  "`bmsk`, `redux` and `match` reject floating-point registers for their bit types",
                  "redux.sync.and.b32 d, a, m;", ".reg .f32 d, a; .reg .b32 m;"),
        Deviation("shuffle-lane", "9.7.9.6", r, a,
                  "the lane operand of `shfl` may be an `.f32` register",
                  "shfl.sync.up.b32 d, a, c, 0, 0;", ".reg .b32 d, a; .reg .f32 c;"),
        # Forms and modifiers.
        Deviation("unaligned-warpgroup", "9.7.15", r, a,
                  "`wgmma` instructions may omit `.aligned`",
                  "wgmma.commit_group.sync;"),
        Deviation("ordered-device-access", "9.7.9.8, 9.7.9.11", r, a,
                  "`ld.mmio` may be `.acquire` and `st.mmio` `.release`, since PTX 9.3",
                  "ld.mmio.acquire.sys.global.b32 d, [p];", ".reg .b32 d; .reg .b64 p;"),
        Deviation("bf16-rounding", "9.7.4.4", r, a,
                  "`fma` of `.bf16` may have `.rz`, `.rm` and `.rp`",
                  "fma.rz.bf16 d, a, a, a;", ".reg .b16 d, a;"),
        Deviation("bf16-comparison", "9.7.7.1", r, a,
                  "`set` of `.bf16` may have a `.bf16` result",
                  "set.ge.bf16.bf16 d, a, a;", ".reg .b16 d, a;"),
        Deviation("one-predicate-for-two", "9.7.7.2", r, a,
                  "`setp` of packed halves may omit its second predicate",
                  "setp.lt.f16x2 p, a, a;", ".reg .pred p; .reg .f16x2 a;"),
        Deviation("vector-move", "9.7.9.3", r, a,
                  "`mov` has `.v2` and `.v4`",
                  "mov.v2.u32 d, a;", ".reg .v2 .u32 d, a;"),
        Deviation("one-for-a-list", "9.7.9.3", r, a,
                  "`mov` to a vector accepts one scalar, which becomes the first element; the others become zero",
                  "mov.v4.u32 {d, e, f, g}, a;", ".reg .u32 d, e, f, g, a;"),
        Deviation("short-carry", "9.7.2", r, a,
                  "`addc`, `subc` and `madc` have 16-bit types, for which nothing sets the carry",
                  "addc.u16 d, a, a;", ".reg .u16 d, a;"),
        Deviation("flushed-double-reciprocal", "9.7.3.13", r, a,
                  "`rcp.f64` with a rounding modifier may have `.ftz`",
                  "rcp.rn.ftz.f64 d, a;", ".reg .f64 d, a;"),
        Deviation("small-elements-in-eights", "9.7.9.8", r, a,
                  "`.v8` loads and stores elements of 8 and 16 bits",
                  "st.global.v8.u8 [p], {a, a, a, a, a, a, a, a};", ".reg .u8 a; .reg .b64 p;"),
        Deviation("repeated-flag", "9.1", r, a,
                  "some modifiers may be repeated",
                  "add.sat.sat.s32 d, a, a;", ".reg .s32 d, a;"),
        Deviation("foreign-modifier", "9.7", r, a,
                  "the modifiers of `testp`, `tensormap.replace` and `ldmatrix`, and `.acc::f16`, are ignored on other "
                  "instructions",
                  "xor.finite.b32 d, a, a;", ".reg .b32 d, a;"),
        Deviation("foreign-type", "9.7", r, a,
                  "a further type of too few bits is ignored: `.b2`, `.pred` or `.texref`, by instruction",
                  "mov.b32.b2 d, a;", ".reg .b32 d, a;"),
        Deviation("first-level-prefetch", "9.7.9.8", r, a,
                  "`ld` prefetches 32 bytes to the L1 cache",
                  "ld.global.L1::32B.b32 d, [p];", ".reg .b32 d; .reg .b64 p;"),
        Deviation("membar-proxy-space", "9.7.13.4", a, r,
                  "`membar.proxy.async` may not have a state space",
                  "membar.proxy.async.global;"),
        Deviation("async-store-to-own-cta", "9.7.9.12", r, a,
                  "`st.async` may name `.shared::cta`",
                  "st.async.shared::cta.mbarrier::complete_tx::bytes.b32 [p], a, [p];", ".reg .b32 a; .reg .b64 p;"),
        Deviation("sparse-fp8-depth", "9.7.14.6", a, r,
                  "sparse `mma` of 8-bit floats has no `.m16n8k32`",
                  "mma.sp.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {d, d}, {a, a}, {a, a}, {d, d}, a, 0;",
                  ".reg .f16x2 d; .reg .b32 a;"),
        Deviation("mma-f8f6f4-elsewhere", "9.7.14.5", r, a,
                  "`mma.kind::f8f6f4` of `.e4m3` and `.e5m2` is also for sm_100f and sm_110f",
                  "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e4m3.f16 "
                  "{d, d}, {a, a, a, a}, {a, a}, {d, d};", ".reg .f16x2 d; .reg .b32 a;"),
        Deviation("list-for-one", "9.7.10.3, 9.7.14, 9.7.15", r, a,
                  "scales and metadata of matrices, and levels of textures, may be vectors; the first element is used",
                  "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 "
                  "{f, f, f, f}, {a, a, a, a}, {a, a, a, a}, {f, f, f, f}, {a, a}, 0;",
                  ".reg .f32 f; .reg .b32 a;"),
        Deviation("signed-cluster-addresses", "9.7.9.23, 9.7.9.24", r, a,
                  "`mapa` and `getctarank` have `.s32` and `.s64`",
                  "getctarank.shared::cluster.s32 d, d;", ".reg .s32 d;"),
        # Addresses and operands.
        Deviation("immediate-address", "6.4.1", a, r,
                  "an address without a register or variable is accepted only for local memory",
                  "ld.global.u32 d, [16];", ".reg .u32 d;"),
        Deviation("narrow-address", "6.4.1", r, a,
                  "an address may be in a register of 8 or 16 bits",
                  "ld.global.u32 d, [p];", ".reg .u32 d; .reg .b16 p;"),
        Deviation("discarded-second-result", "9.7", r, a,
                  "`|_` may follow the only result of any instruction",
                  "add.u32 d|_, a, a;", ".reg .u32 d, a;"),
        Deviation("far-offset", "6.4.1", r, a,
                  "offsets may have more than 32 bits",
                  "ld.global.u32 d, [p+4294967296];", ".reg .u32 d; .reg .b64 p;"),
        Deviation("function-as-number", "6.4.4", r, a,
                  "the name of a function is accepted as a 64-bit integer operand",
                  "add.u64 d, f, 1;", ".reg .u64 d;"),
        Deviation("sum-as-operand", "6.2", r, a,
                  "a constant may be added to any source operand, of any width",
                  "st.global.u64 [p], p + 1;", ".reg .b64 p;"),
        Deviation("selector-beyond", "6.4.3", r, a,
                  "`.z` and `.w` of a `.v2` vector are accepted",
                  "mov.f32 d, v.z;", ".reg .f32 d; .reg .v2 .f32 v;"),
        Deviation("comment-beyond-ascii", "4.1", r, a,
                  "a comment may contain bytes above 127",
                  "// \u00e9"),
        # Newer than PTX ISA 9.1: what the assembler reveals of 9.2 to 9.5.
        Deviation("packed-bytes", "PTX 9.2", r, a,
                  "`add sub min max neg` have `.u8x4` and `.s8x4`; `add.sat` has `.u32` and packed types",
                  "add.u8x4 d, a, a;", ".reg .b32 d, a;"),
        Deviation("narrow-to-bf16", "PTX 9.2", r, a,
                  "`cvt` from `.e4m3x2 .e5m2x2 .e2m3x2 .e3m2x2 .e2m1x2` to `.bf16x2`, optionally with a scale",
                  "cvt.rn.bf16x2.e4m3x2 d, a;", ".reg .b32 d; .reg .b16 a;"),
        Deviation("bulk-copy-edges", "PTX 9.2", r, a,
                  "`cp.async.bulk` to `.shared::cta` has `.ignore_oob`, with two more sizes",
                  "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [p], [p], 16, 4, 4, [p];",
                  ".reg .b64 p;"),
        Deviation("async-store-128", "PTX 9.2", r, a,
                  "`st.async` has `.b128`",
                  "st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 [p], a, [p];",
                  ".reg .b128 a; .reg .b64 p;"),
        Deviation("five-bit-scales", "PTX 9.4", r, a,
                  "`cvt` from and to `.ue5m3x2`, on sm_107f",
                  "cvt.rn.satfinite.ue5m3x2.f32 d, a, a;", ".reg .b16 d; .reg .f32 a;"),
        Deviation("narrow-arithmetic", "PTX 9.4", r, a,
                  "`add sub mul fma` of four narrow floats, in `.e4m3x4` or `.e5m2x4`, on sm_100a and sm_103a",
                  "fma.e4m3x4.e4m3x4.e5m2x4 d, a, a, a;", ".reg .b32 d, a;"),
    )
    # fmt: on


DEVIATIONS: dict[str, Deviation] = {row.name: row for row in _rows()}
"""All entries by name."""
