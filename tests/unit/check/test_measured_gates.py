"""Requirements of versions and targets beyond those of instructions, according to ptxas 13.5."""

from __future__ import annotations

import pytest

import openptx

MODULE = ".func fn() { ret; } .entry ke() { exit; }"
IMAGES = f"{MODULE} .global .texref tx; .global .surfref su;"
REGISTERS = (
    ".reg .pred p; .reg .f64 e; .reg .f32 f, f1, f2, f3; .reg .u16 h; .reg .s32 s; .reg .b32 b; "
    ".reg .u32 r, r1, r2, r3; .reg .u64 q;"
)
FETCH = "tex.2d.v4.f32.f32 {f, f1, f2, f3}, [tx, {f, f1}]"
OLD = "3.0/sm_20 4.2/sm_30 8.6/sm_20"
TEX = "tex.1d.v4.u32.s32 {r, r1, r2, r3}, [q, {r}];"
SYNCHRONIZE = ".extern .func (.param .b32 r) cudaDeviceSynchronize ();"
OWN = ".func (.param .b32 r) cudaDeviceSynchronize () { ret; }"
CALL = ".param .b32 w; call (w), {}, ();"
MMA_KIND = (
    "mma.sync.aligned.m16n8k32.row.col{}.f32.e4m3.e5m2.f32 "
    "{{f, f1, f2, f3}}, {{b, b, b, b}}, {{b, b}}, {{f, f1, f2, f3}};"
)
MMA_SPARSE = (
    "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32 "
    "{f, f1, f2, f3}, {b, b, b, b}, {b, b, b, b}, {f, f1, f2, f3}, b, 0;"
)
BYTES = "mbarrier::complete_tx::bytes"
HALVES, WORDS = "{h, h, h, h, h, h, h, h}", "{r, r, r, r, r, r, r, r}"
FLOATS, BITS = "{f, f1, f2, f3, f, f1, f2, f3}", "{b, b, b, b, b, b, b, b}"

# fmt: off
ROWS = [  # what, and the versions and targets that refuse and take it
    #  statement                                   refused                         taken
    (MODULE, "tensormap.query.alloc_class_large.b1024 p, [q];",
     "9.5/sm_90 9.5/sm_100 9.5/sm_110 9.5/sm_121 9.4/sm_90a",                   "9.5/sm_90a 9.5/sm_100f 9.5/sm_120a"),
    # Four narrow floats at once: no published manual has them; Gluon's add2 for fp8 writes them.
    (MODULE, "add.e4m3x4.e5m2x4 b, b, b;",         "9.3/sm_100a 9.5/sm_100f 9.5/sm_110a",  "9.4/sm_100a 9.5/sm_103a"),
    (MODULE, "sub.rn.satfinite.e5m2x4.e2m1x4 b, h, b;",         "9.5/sm_103a",  ""),
    (MODULE, "sub.rn.satfinite.e5m2x4.e2m3x4 b, b, b;",         "9.5/sm_120a",  "9.4/sm_103a"),
    (MODULE, "mul.e4m3x4.ue8m0x4.e3m2x4 b, b, b;",              "9.5/sm_107a",  "9.4/sm_100a"),
    (MODULE, "fma.e5m2x4.e4m3x4.e5m2x4 b, b, b, b;",            "9.5/sm_103f",  "9.5/sm_100a"),
    (MODULE, "mul.e4m3x4.e4m3x4 b, b, b;",                      "9.5/sm_100a",  ""),
    (MODULE, "add.e2m3x4.e4m3x4 b, b, b;",                      "9.5/sm_100a",  ""),
    (MODULE, "add.rz.e4m3x4.e4m3x4 b, b, b;",                   "9.5/sm_100a",  ""),
    # Asynchronous reductions without an mbarrier: the manual has sums with .release alone.
    (MODULE, "red.async.release.sys.global.min.s32 [q], s;",   "8.7/sm_90 8.6/sm_100a", "8.7/sm_100 9.5/sm_120"),
    (MODULE, "red.async.mmio.release.sys.global.xor.b32 [q], b;", "8.7/sm_90",  "8.7/sm_100"),
    (MODULE, "red.async.relaxed.gpu.global.add.u32 [q], r;",   "8.7/sm_90 8.6/sm_100a", "8.7/sm_100"),
    (MODULE, "red.async.relaxed.gpu.inc.u32 [q], r;",          "8.0/sm_90 8.5/sm_89", "8.1/sm_90 9.5/sm_120"),
    (MODULE, "red.async.mmio.relaxed.sys.global.add.u32 [q], r;", "9.5/sm_100",  ""),
    (MODULE, "red.async.relaxed.gpu.global.inc.s32 [q], s;",   "9.5/sm_100",   ""),
    (MODULE, "red.async.relaxed.cta.global.add.u32 [q], r;",   "9.5/sm_100",   ""),
    # The device runtime of sm_90 and newer has no cudaDeviceSynchronize any more.
    (SYNCHRONIZE, CALL.format("cudaDeviceSynchronize"),        "7.8/sm_90 9.5/sm_120a",     "7.8/sm_89 9.0/sm_50"),
    (SYNCHRONIZE, "mov.u64 q, cudaDeviceSynchronize;",         "9.0/sm_90",    "9.0/sm_89"),
    (SYNCHRONIZE, f"T: .calltargets cudaDeviceSynchronize; {CALL.format('q')[:-1]}, T;", "", "9.0/sm_90 9.0/sm_89"),
    (f"{SYNCHRONIZE} .global .u64 g = cudaDeviceSynchronize;", "ret;",              "9.0/sm_90",    "9.0/sm_89"),
    (OWN, CALL.format("cudaDeviceSynchronize"),                "",             "7.8/sm_90 9.5/sm_120"),
    (SYNCHRONIZE.replace("cuda", "my"), CALL.format("myDeviceSynchronize"), "",  "7.8/sm_90 9.5/sm_120"),
    # `.aligned` of wmma: none before PTX 6.3, which requires it.
    (MODULE, f"wmma.load.a.sync.row.m16n16k16.f16 {BITS}, [q], 16;",          "6.3/sm_70",    "6.0/sm_70 6.2/sm_70"),
    (MODULE, f"wmma.load.a.sync.aligned.row.m16n16k16.f16 {BITS}, [q], 16;",  "6.0/sm_70 6.2/sm_70",  "6.3/sm_70"),
    (MODULE, f"wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {FLOATS}, {BITS}, {BITS}, {FLOATS};",
     "6.0/sm_70 6.2/sm_70",                                                     "6.3/sm_70"),
    (MODULE, f"wmma.store.d.sync.aligned.row.m16n16k16.f32 [q], {FLOATS}, 16;", "6.2/sm_72",   "6.3/sm_70"),
    (MODULE, "mov.u64 q, fn;",                     "1.4/sm_13 2.0/sm_20",          "2.1/sm_20 2.1/sm_13 9.0/sm_90"),
    (MODULE, "mov.u32 r, fn;",                     "2.0/sm_20",                    "2.1/sm_20"),
    (MODULE, "mov.b64 {r, r1}, fn;",               "2.0/sm_20",                    "2.1/sm_20"),
    (MODULE, "add.u64 q, fn, 1;",                  "",                             "1.4/sm_13 9.0/sm_90"),
    (MODULE, "mov.u64 q, ke;",                     "3.0/sm_30 9.0/sm_30 4.0/sm_32", "3.1/sm_35 9.0/sm_50"),
    (MODULE, "mov.b64 q, ke;",                     "9.0/sm_20",                    "9.0/sm_35"),
    (MODULE, "mov.b64 {r, r1}, ke;",               "9.0/sm_30",                    "9.0/sm_35"),
    (MODULE, "mov.u64 q, k;",                      "9.0/sm_30",                    "9.0/sm_35"),
    (IMAGES, "mov.u64 q, tx;",                     "1.5/sm_13 3.0/sm_30 9.0/sm_13", "3.1/sm_20"),
    (IMAGES, "mov.u64 q, su;",                     "3.0/sm_20",                    "3.1/sm_20"),
    (IMAGES, TEX,                                  "1.5/sm_13 3.0/sm_30",          "3.1/sm_20"),
    (IMAGES, "sust.p.3d.b32.trap [su, {s, s, s, s}], s;",      "2.0/sm_20 2.3/sm_20", "3.0/sm_20"),
    (IMAGES, "sust.p.cg.1d.b32.trap [su, {s}], s;",            "1.5/sm_13",    "2.0/sm_20 9.0/sm_90"),
    (IMAGES, "sust.p.a1d.b32.trap [su, {s, s}], s;",           "4.0/sm_30 4.1/sm_20", "4.1/sm_30"),
    (IMAGES, "sured.b.add.3d.u32.trap [su, {s, s, s, s}], r;", "2.3/sm_20",    "3.0/sm_20"),
    (IMAGES, "sured.p.min.3d.b32.trap [su, {s, s, s, s}], b;", "2.3/sm_20",    "3.0/sm_20"),
    (IMAGES, "suld.b.1d.b32.clamp b, [su, {s}];",              "1.5/sm_13",    "2.0/sm_13 2.3/sm_13 9.0/sm_90"),
    (IMAGES, "tex.grad.cube.v4.f32.f32 {f, f1, f2, f3}, [tx, {f, f, f, f}], {f, f, f, f}, {f, f, f, f};",
     "3.1/sm_30 4.2/sm_30",                                                     "4.3/sm_30"),
    (IMAGES, "tex.2d.v4.f32.f32 {f, f1, f2, f3}|p, [tx, {f, f}];", "7.1/sm_53 7.0/sm_60", "7.1/sm_60"),
    (IMAGES, "txq.force_unnormalized_coords.b32 b, [tx];",     "2.2/sm_20 9.0/sm_90", ""),
    (IMAGES, "txq.filter_mode.b32 b, [tx];",                   "",             "2.2/sm_20 9.0/sm_90"),
    (MODULE, "mad.rn.f64 e, e, e, e;",                         "1.1/sm_12",    "1.2/sm_13 1.4/sm_13"),
    (MODULE, "div.rn.f64 e, e, e;",                            "1.1/sm_12",    "1.2/sm_13 1.4/sm_13"),
    (MODULE, "sqrt.rn.f64 e, e;",                              "1.1/sm_12",    "1.2/sm_13 1.4/sm_13"),
    (IMAGES, "suld.b.1d.b32.trap r, [q, {r}];",    "3.0/sm_20",                    "3.1/sm_20"),
    (MODULE, "addc.u64 q, q, q;",                  "1.1/sm_11",                    "1.2/sm_13 3.1/sm_35 9.0/sm_90"),
    (MODULE, "addc.u16 h, h, h;",                  "1.1/sm_11",                    "1.2/sm_13 9.0/sm_90"),
    (MODULE, "subc.s64 q, q, q;",                  "1.2/sm_13",                    "1.3/sm_13 3.1/sm_35 9.0/sm_90"),
    (MODULE, "subc.u32 r, r, r;",                  "1.2/sm_13",                    "1.3/sm_13 9.0/sm_90"),
    (MODULE, "sub.cc.u32 r, r, r;",                "1.2/sm_13",                    "1.3/sm_13 9.0/sm_90"),
    (MODULE, "madc.hi.u64 q, q, q, q;",            "2.3/sm_20 3.1/sm_13",          "3.0/sm_20 4.2/sm_35 9.0/sm_90"),
    (MODULE, "add.cc.u64 q, q, q;",                "4.2/sm_35",                    "4.3/sm_35 9.0/sm_90"),
    (MODULE, "sub.cc.u64 q, q, q;",                "4.2/sm_35",                    "4.3/sm_35 9.0/sm_90"),
    (MODULE, "neg.ftz.f32 f, f;",                  "1.0/sm_10 1.3/sm_13",          "1.4/sm_13"),
    (MODULE, "abs.ftz.f32 f, f;",                  "1.3/sm_13",                    "1.4/sm_13"),
    (MODULE, "min.ftz.f32 f, f, f;",               "1.3/sm_13",                    "1.4/sm_13"),
    (MODULE, "mad.ftz.f32 f, f, f, f;",            "1.3/sm_13",                    "1.4/sm_13"),
    (MODULE, "setp.eq.ftz.f32 p, f, f;",           "1.3/sm_13",                    "1.4/sm_13"),
    (MODULE, "set.eq.ftz.f32.f32 f, f, f;",        "1.3/sm_13",                    "1.4/sm_13"),
    (MODULE, "slct.ftz.f32.f32 f, f, f, f;",       "1.3/sm_13",                    "1.4/sm_13"),
    (MODULE, "cvt.ftz.rni.s32.f32 r, f;",          "1.3/sm_13",                    "1.4/sm_13"),
    (MODULE, "st.param.u32 [q], r;",               "1.4/sm_13 2.0/sm_13 8.6/sm_12", "2.0/sm_20 8.6/sm_20"),
    (IMAGES, "sust.p.a1d.b32.trap [q, {r, r}], r;", "9.0/sm_20",                   "9.0/sm_30"),
    (IMAGES, "sust.p.2d.b32.trap [q, {r, r}], r;", "3.0/sm_20",                    "9.0/sm_20"),
    (".tex .u32 tx;", "mov.u64 q, tx;",            "1.4/sm_13",                    ""),
    (MODULE, "nanosleep.u32 r;",                   "6.1/sm_70 6.2/sm_61",          "6.2/sm_70 6.3/sm_70"),
    (MODULE, "bar.cta.sync 1;",                    "7.8/sm_13 7.7/sm_20",          "7.8/sm_20"),
    (MODULE, "prefetch.L2::evict_last [q];",       "7.3/sm_80",                    "7.4/sm_80 9.0/sm_100a"),
    (MODULE, MMA_KIND.format(""),                  "8.3/sm_90",                    "8.4/sm_90 8.6/sm_100a"),
    (MODULE, MMA_KIND.format(".kind::f8f6f4"),     "8.6/sm_90a 9.0/sm_90a",        "8.6/sm_100a 8.6/sm_101a"),
    (MODULE, MMA_SPARSE,                           "8.6/sm_90a",                   "8.6/sm_100a 8.7/sm_100a"),
    (MODULE, f"ld.L2::evict_last.v8.b16 {HALVES}, [q];", "8.8/sm_100a 9.0/sm_120a", ""),
    (MODULE, f"ld.global.nc.L2::evict_first.v8.b32 {WORDS}, [q];", "8.7/sm_100a",  "8.8/sm_100a 9.0/sm_120a"),
    (MODULE, f"st.L2::evict_normal.v8.u16 [q], {HALVES};", "9.0/sm_100a",          ""),
    (MODULE, f"st.async.shared.{BYTES}.u32 [q], r, [q];",  "8.0/sm_90 9.0/sm_80",  "8.1/sm_90 9.5/sm_120a"),
    (MODULE, f"st.async.weak.shared.{BYTES}.v2.u32 [q], {{r, r}}, [q];", "",       "8.1/sm_90"),
    (MODULE, f"st.async.cluster.shared.{BYTES}.u32 [q], r, [q];", "8.1/sm_90 9.5/sm_120a", ""),
    (IMAGES, f"{FETCH}, {{s, s}};",                OLD,                            "4.3/sm_30 8.6/sm_90"),
    (IMAGES, f"{FETCH}, f;",                       OLD,                            "4.3/sm_30 8.6/sm_90"),
    (IMAGES, f"{FETCH}, b;",                       OLD,                            "4.3/sm_30 8.6/sm_90"),
    (IMAGES, f"{FETCH}, {{s, s}}, f;",             OLD,                            "4.3/sm_30 8.6/sm_90"),
    (IMAGES, f"{FETCH}, s, f;",                    OLD,                            "4.3/sm_30 8.6/sm_90"),
    (IMAGES, f"{FETCH}, s;",                       "",                             "2.3/sm_20 3.2/sm_30 8.6/sm_90"),
    (IMAGES, f"{FETCH}, 3;",                       "",                             "2.3/sm_20 8.6/sm_90"),
    (IMAGES, f"tld4.r{FETCH[3:]}, {{s, s}};",      OLD,                            "4.3/sm_30 8.6/sm_90"),
    (IMAGES, f"tld4.r{FETCH[3:]}, f;",             OLD,                            "4.3/sm_30 8.6/sm_90"),
    (IMAGES, f"tld4.r{FETCH[3:]};",                "",                             "3.0/sm_20 4.3/sm_30"),
]
# fmt: on


def errors(context: str, module: str, statement: str) -> list[str]:
    version, _, target = context.partition("/")
    size = ".address_size 64" if version >= "2.3" else ""
    text = f".version {version}\n.target {target}\n{size}\n{module}\n.entry k() {{ {REGISTERS} {statement} exit; }}\n"
    return [each.code for each in openptx.check(text) if each.severity == "error"]


@pytest.mark.parametrize(("module", "statement", "refused", "taken"), ROWS, ids=[row[1] for row in ROWS])
def test_versions_and_targets(module: str, statement: str, refused: str, taken: str) -> None:
    for context in refused.split():
        assert errors(context, module, statement), context
    for context in taken.split():
        assert errors(context, module, statement) == [], context


def kinds_of(head: str, text: str) -> list[str]:
    """The errors of a file with this header, by name."""
    return [each.name for each in openptx.check(f"{head}\n{text}\n") if each.severity == "error"]


SM_90 = ".version 9.0\n.target sm_90\n.address_size 64"


@pytest.mark.parametrize("parameter", [".b8 a[16]", ".f16 a", ".u64 a", ".align 8 .u32 a"])
def test_kernels_take_parameters_since_1_4(parameter: str) -> None:
    kernel = f".entry k(.param {parameter}) {{ exit; }}"
    assert kinds_of(".version 1.3\n.target sm_13", kernel) == ["needs-version"]
    assert kinds_of(".version 1.4\n.target sm_13", kernel) == []
    assert kinds_of(".version 1.0\n.target sm_10", ".entry k() { exit; }") == []


# fmt: off
COPIES = [  # which of the two directions the assembler has
    ("cp.async.ca.{} [a], [b], 16",                                         "shared",          "global"),
    ("cp.async.cg.{} [a], [b], 16",                                         "shared::cta",     "global"),
    ("cp.async.bulk.{}.mbarrier::complete_tx::bytes [a], [b], 16, [m]",     "shared::cta",     "global"),
    ("cp.async.bulk.{}.mbarrier::complete_tx::bytes [a], [b], 16, [m]",     "shared::cluster", "global"),
    ("cp.async.bulk.{}.mbarrier::complete_tx::bytes [a], [b], 16, [m]",     "shared::cluster", "shared::cta"),
    ("cp.async.bulk.{}.bulk_group [a], [b], 16",                            "global",          "shared::cta"),
    ("cp.reduce.async.bulk.{}.bulk_group.add.u32 [a], [b], 16",             "global",          "shared::cta"),
    ("cp.async.bulk.tensor.1d.{}.tile.bulk_group [a, {{r}}], [b]",          "global",          "shared::cta"),
    ("cp.async.bulk.tensor.1d.{}.tile.mbarrier::complete_tx::bytes [a], [b, {{r}}], [m]", "shared::cluster", "global"),
]
# fmt: on


@pytest.mark.parametrize(("statement", "to", "source"), COPIES)
def test_copies_go_one_way(statement: str, to: str, source: str) -> None:
    kernel = ".entry k() {{ .reg .b64 a, b, m; .reg .b32 r; {}; ret; }}"
    assert kinds_of(SM_90, kernel.format(statement.format(f"{to}.{source}"))) == []
    assert kinds_of(SM_90, kernel.format(statement.format(f"{source}.{to}"))) != []


@pytest.mark.parametrize("kind", ["texref", "samplerref", "surfref"])
def test_pointers_to_images(kind: str) -> None:
    assert (
        kinds_of(SM_90, f".entry k(.param .u64 .ptr .{kind} t, .param .b64 .ptr .{kind} .align 8 u) {{ ret; }}") == []
    )
    assert kinds_of(SM_90, f".entry k(.param .u64 .ptr .global .{kind} t) {{ ret; }}") == ["invalid-declaration"]


def test_a_header_alone_is_not_asked_whether_it_fits_itself() -> None:
    header = ".version 7.0\n.target sm_90"
    assert kinds_of(header, "// nothing else") == []
    assert kinds_of(header, ".global .u32 x;") == ["target-needs-version"]


@pytest.mark.parametrize(
    ("target", "field", "most"),
    [
        ("sm_90a", "swizzle_mode", 3), ("sm_100a", "swizzle_mode", 3), ("sm_103a", "swizzle_mode", 4),
        ("sm_107a", "swizzle_mode", 4), ("sm_90a", "elemtype", 12), ("sm_100a", "elemtype", 15),
    ],
)  # fmt: skip
def test_values_of_tensor_maps(target: str, field: str, most: int) -> None:
    head = f".version 9.5\n.target {target}\n.address_size 64"
    kernel = ".entry k() {{ .reg .b64 a; tensormap.replace.tile.{}.global.b1024.b32 [a], {}; ret; }}"
    assert kinds_of(head, kernel.format(field, most)) == []
    assert kinds_of(head, kernel.format(field, most + 1)) == ["immediate-range"]


def test_all_of_a_vector_in_128_bits() -> None:
    kernel = ".entry k() {{ .reg .b128 d; .reg .b64 q, r; {} ret; }}"
    assert kinds_of(SM_90, kernel.format("mov.b128 d, %ntid;")) == []
    assert kinds_of(SM_90, kernel.format("mov.b128 {q, r}, %ntid;")) != []


# fmt: off
SAMPLED = [  # with a sampler; whether there are samplers at all; the versions and targets that refuse and take it
    ("tex.2d.v4.f32.f32 {f, f1, f2, f3}, [tx, q, {f, f1}]",          True,  OLD, "4.3/sm_30 8.6/sm_90"),
    ("tex.2d.v4.f32.f32 {f, f1, f2, f3}, [q, sa, {f, f1}]",          True,  OLD, "4.3/sm_30 8.6/sm_90"),
    ("tex.2d.v4.f32.f32 {f, f1, f2, f3}, [tx, sa, {f, f1}]",         True,  "",  "3.0/sm_20 8.6/sm_90"),
    ("tld4.r.2d.v4.f32.f32 {f, f1, f2, f3}, [tx, q, {f, f1}]",       True,  OLD, "4.3/sm_30 8.6/sm_90"),
    ("tld4.r.cube.v4.f32.f32 {f, f1, f2, f3}, [tx, q, {f, f1, f2, f3}]", True, OLD, "4.3/sm_30 8.6/sm_90"),
    ("tex.2d.v4.f32.f32 {f, f1, f2, f3}, [tx, q, {f, f1}]",          False, OLD, "4.3/sm_30 8.6/sm_90"),
    ("tld4.r.2d.v4.f32.f32 {f, f1, f2, f3}, [tx, q, {f, f1}]",       False, OLD, "4.3/sm_30 8.6/sm_90"),
    ("tld4.r.cube.v4.f32.f32 {f, f1, f2, f3}, [tx, q, {f, f1, f2, f3}]",  False, "4.3/sm_30 8.6/sm_90", ""),
    ("tex.cube.v4.f32.f32 {f, f1, f2, f3}, [tx, q, {f, f1, f2, f3}]",     False, "4.3/sm_30 8.6/sm_90", ""),
    ("tex.level.cube.v4.f32.f32 {f, f1, f2, f3}, [tx, q, {f, f1, f2, f3}], f", False, "4.2/sm_30", "4.3/sm_30"),
]
# fmt: on


@pytest.mark.parametrize(("statement", "independent", "refused", "taken"), SAMPLED)
def test_samplers_in_registers(statement: str, independent: bool, refused: str, taken: str) -> None:
    module = ".global .texref tx;" + (" .global .samplerref sa;" if independent else "")
    mode = ", texmode_independent" if independent else ""
    for context in refused.split():
        assert errors(context + mode, module, f"{statement};"), context
    for context in taken.split():
        assert errors(context + mode, module, f"{statement};") == [], context


@pytest.mark.parametrize(("declaration", "gated"), [
    ("{} .b128 a;", True), ("{} .b128 a[2];", False), ("{} .b128 a[2][2];", False),
    ("{} .b128 a[2]; {} .b128 b;", True),
])  # fmt: skip
@pytest.mark.parametrize("space", [".shared", ".local"])
def test_arrays_of_128_bits_have_no_gate(declaration: str, gated: bool, space: str) -> None:
    head = ".version 8.2\n.target sm_90\n.address_size 64"
    body = declaration.replace("{}", space)
    assert kinds_of(head, f".entry k() {{ {body} ret; }}") == (["needs-version"] if gated else [])
