"""Proofs of small kernels: equal, different with a counterexample, unknown with a reason."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("z3", reason="proofs need z3-solver")

import openptx
from openptx.prove.unprovable import REASONS

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def kernel(body: str, name: str = "k"):
    """A kernel of two arrays and two numbers: `a` is element i of x, `d` goes to element i of y where i < n."""
    return openptx.load(
        HEAD
        + f"""
.visible .entry {name}(.param .u64 x, .param .u64 y, .param .u32 n, .param .u32 s)
{{
    .reg .pred %p<9>; .reg .b32 %r<30>, a, b, c, d, i, n1, s1; .reg .b64 %rd<20>, px, py, off; .reg .f32 %f<9>;
    ld.param.u64 px, [x]; ld.param.u64 py, [y]; ld.param.u32 n1, [n]; ld.param.u32 s1, [s];
    mov.u32 a, %ctaid.x; mov.u32 b, %ntid.x; mov.u32 c, %tid.x;
    mad.lo.s32 i, a, b, c;
    setp.ge.u32 %p1, i, n1;
    @%p1 bra done;
    mul.wide.u32 off, i, 4;
    add.s64 px, px, off; add.s64 py, py, off;
    ld.global.u32 a, [px];
    {body}
    st.global.u32 [py], d;
done:
    ret;
}}
"""
    )[name]


def verdict(a: str, b: str, **options) -> openptx.Proof:
    return openptx.prove(kernel(a), kernel(b), **options)


EQUAL = {
    "distributive": ("add.u32 d, a, s1; mul.lo.u32 d, d, 3;", "mul.lo.u32 d, a, 3; mad.lo.u32 d, s1, 3, d;"),
    "branch or select": (
        "setp.lt.s32 %p2, a, s1; selp.b32 d, a, s1, %p2;",
        "mov.u32 d, s1; setp.ge.s32 %p2, a, s1; @%p2 bra on; mov.u32 d, a; on:",
    ),
    "guard or minimum": ("min.s32 d, a, s1;", "mov.u32 d, s1; setp.lt.s32 %p2, a, s1; @%p2 mov.u32 d, a;"),
    "rotation": ("shf.l.wrap.b32 d, a, a, 7;", "shl.b32 b, a, 7; shr.u32 c, a, 25; or.b32 d, b, c;"),
    "fixed loop": (
        "mov.u32 d, 0; mov.u32 b, 0; again: add.u32 d, d, a; add.u32 b, b, 1; setp.lt.u32 %p2, b, 20; @%p2 bra again;",
        "mul.lo.u32 d, a, 20;",
    ),
    "open loop that ends": (
        "and.b32 c, s1, 7; mov.u32 d, a; again: setp.eq.u32 %p2, c, 0; @%p2 bra on; add.u32 d, d, 5; sub.u32 c, c, 1;"
        " bra.uni again; on:",
        "and.b32 c, s1, 7; mad.lo.u32 d, c, 5, a;",
    ),
    "own store": ("st.global.u32 [py], s1; ld.global.u32 b, [py]; add.u32 d, a, b;", "add.u32 d, a, s1;"),
    "place of a local array": (
        "{ .local .b8 t[8]; mov.u64 %rd1, t; cvta.local.u64 %rd1, %rd1; and.b32 c, a, 7; cvt.u64.u32 %rd2, c;"
        " add.s64 %rd1, %rd1, %rd2; st.u8 [%rd1], s1; ld.u8 d, [%rd1]; }",
        "and.b32 d, s1, 255;",
    ),
    "other width": (
        "mov.u32 d, a;",
        "ld.global.u16 b, [px]; ld.global.u16 c, [px + 2]; shl.b32 c, c, 16; or.b32 d, b, c;",
    ),
    "sum of floats": ("add.rn.f32 d, a, s1;", "add.rn.f32 d, s1, a;"),
    "difference of floats": ("sub.rn.f32 d, a, s1;", "neg.f32 %f1, s1; add.rn.f32 d, a, %f1;"),
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal(name: str) -> None:
    found = verdict(*EQUAL[name])
    assert found.verdict == "equal", str(found)
    assert found.assumptions


DIFFERENT = {
    "constant": ("mad.lo.u32 d, a, s1, 7;", "mad.lo.u32 d, a, s1, 8;"),
    "one value of 2^32": ("mov.u32 d, a;", "mov.u32 d, a; setp.eq.u32 %p2, a, 0xdeadbeef; @%p2 mov.u32 d, 0;"),
    "signedness": ("shr.u32 d, a, 4;", "shr.s32 d, a, 4;"),
    "no store": ("add.u32 d, a, 1;", "add.u32 d, a, 1; setp.eq.u32 %p2, a, 77; @%p2 bra done;"),
    "place": ("mov.u32 d, a;", "mov.u32 d, a; add.s64 py, py, 4;"),
    "rounding": ("add.rn.f32 d, a, s1;", "add.rz.f32 d, a, s1;"),
    "constant of a float": ("fma.rn.f32 d, a, 0f3F800001, s1;", "fma.rn.f32 d, a, 0f3F800000, s1;"),
    "association": (
        "add.rn.f32 d, a, s1; add.rn.f32 d, d, 0f3F800000;",
        "add.rn.f32 d, s1, 0f3F800000; add.rn.f32 d, a, d;",
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_different_with_a_launch_that_shows_it(name: str) -> None:
    a, b = map(kernel, DIFFERENT[name])
    found = openptx.prove(a, b)
    assert found.verdict == "different", str(found)
    shown = found.counterexample
    assert shown is not None
    assert shown.a != shown.b
    if name in ("association", "rounding"):  # operands are a scalar and an element: random values of both suffice
        assert found.method == "run"
    if shown.only is not None:
        return
    results: list[list[np.ndarray]] = []
    for each in (a, b):
        arguments = [v.copy() if isinstance(v, np.ndarray) else int.from_bytes(v, "little") for v in shown.arguments]
        each(shown.grid, shown.block, arguments, engine="interp")
        results.append([v for v in arguments if isinstance(v, np.ndarray)])
    assert any(not np.array_equal(*pair) for pair in zip(*results, strict=True))


ONE_FAULTS = {
    "a store": ("mov.u32 d, a;", "mov.u32 d, a; setp.eq.u32 %p2, a, 77; @%p2 add.s64 py, py, 2;", "second"),
    "a load without use": (
        "setp.eq.u32 %p2, a, 77; @%p2 ld.global.u32 b, [px + 1]; mov.u32 d, a;",
        "mov.u32 d, a;",
        "first",
    ),
    "a vector": ("ld.global.u32 d, [px];", "ld.global.v2.u32 {d, b}, [px];", "second"),
}


@pytest.mark.parametrize("name", ONE_FAULTS)
def test_different_where_one_kernel_alone_makes_a_misaligned_access(name: str) -> None:
    *bodies, which = ONE_FAULTS[name]
    found = verdict(*bodies)
    assert found.verdict == "different", str(found)
    assert f"the {which} kernel alone faults" in str(found)


def test_vectors_at_aligned_places_are_equal_to_words() -> None:
    quads = "shl.b32 c, i, 2; mul.wide.u32 %rd1, c, 4; sub.s64 px, px, off; add.s64 px, px, %rd1; "
    found = verdict(quads + "ld.global.v4.u32 {a, b, c, d}, [px];", quads + "ld.global.u32 d, [px + 12];")
    assert found.verdict == "equal", str(found)


def test_a_choice_between_pointers() -> None:
    chosen = "setp.lt.u32 %p2, a, s1; selp.b64 %rd1, px, py, %p2; ld.global.u32 d, [%rd1];"
    found = verdict(chosen, "setp.ge.u32 %p2, a, s1; mov.u32 d, a; @%p2 ld.global.u32 d, [py];")
    assert found.verdict == "equal", str(found)


SPECIAL_REGISTERS = {
    "lanes below": (
        "mov.u32 d, %lanemask_lt;",
        "mov.u32 b, %laneid; mov.u32 d, -1; shl.b32 d, d, b; not.b32 d, d;",
        "equal",
    ),
    "lanes above": (
        "mov.u32 d, %lanemask_gt;",
        "mov.u32 b, %lanemask_ge; mov.u32 c, %lanemask_eq; xor.b32 d, b, c;",
        "equal",
    ),
    "lanes and this one": ("mov.u32 d, %lanemask_le;", "mov.u32 d, %lanemask_lt;", "different"),
    "a row of threads": ("mov.u32 d, %laneid;", "and.b32 d, c, 31;", "different"),
    "the number of warps": ("mov.u32 d, %nwarpid; add.u32 d, d, 1;", "mov.u32 d, %nwarpid; sub.u32 d, d, -1;", "equal"),
    "the number of warps of one processor": ("mov.u32 d, %nwarpid;", "mov.u32 d, 64;", "unknown"),
    "the window of an array": ("isspacep.shared %p2, px; selp.b32 d, 1, a, %p2;", "mov.u32 d, a;", "equal"),
}


@pytest.mark.parametrize("name", SPECIAL_REGISTERS)
def test_special_registers(name: str) -> None:
    one, two, said = SPECIAL_REGISTERS[name]
    found = verdict(one, two)
    assert found.verdict == said, str(found)


UNKNOWN = {
    "barrier": "bar.sync 0; mov.u32 d, a;",
    "warp-exchange": "shfl.sync.idx.b32 d, a, 0, 31, -1;",
    "atomic": "atom.global.add.u32 d, [px], a;",
    "special": "mov.u32 d, %clock;",
    "address": "ld.global.u64 %rd1, [px]; ld.global.u32 d, [%rd1];",
    "trap": "setp.eq.u32 %p2, a, 5; @%p2 trap; mov.u32 d, a;",
}


@pytest.mark.parametrize("reason", UNKNOWN)
def test_unknown_by_name(reason: str) -> None:
    found = verdict(UNKNOWN[reason], "mov.u32 d, a;")
    assert (found.verdict, found.reason) == ("unknown", reason), str(found)
    assert REASONS[reason] in str(found)
    assert "`" in found.detail


def test_loop_beyond_the_bound_is_unknown() -> None:
    loop = (
        "mov.u32 d, 0; mov.u32 c, 0; again: setp.ge.u32 %p2, c, s1; @%p2 bra on; add.u32 d, d, a; add.u32 c, c, 1;"
        " bra.uni again; on:"
    )
    found = verdict(loop, "mul.lo.u32 d, a, s1;", unroll=3)
    assert (found.verdict, found.reason) == ("unknown", "loop-bound"), str(found)
    wrong = verdict(loop, "mad.lo.u32 d, a, s1, 1;", unroll=3)
    assert wrong.verdict == "different"


def test_time_is_limited() -> None:
    factors = "mul.lo.u32 d, a, s1; mul.lo.u32 d, d, d; mul.lo.u32 d, d, a; xor.b32 d, d, s1;"
    other = "mul.lo.u32 b, s1, s1; mul.lo.u32 c, a, a; mul.lo.u32 d, b, c; mul.lo.u32 d, a, d; xor.b32 d, s1, d;"
    found = verdict(factors, other, timeout=0.05)
    assert (found.verdict, found.reason) in (("unknown", "time"), ("equal", ""))
    assert found.seconds < 5


def test_parameters_must_agree() -> None:
    one = openptx.load(HEAD + ".visible .entry k(.param .u64 x) { ret; }")["k"]
    with pytest.raises(openptx.ArgumentError, match="different parameters"):
        openptx.prove(one, kernel("mov.u32 d, a;"))


@pytest.mark.parametrize("options", [{"unroll": 0}, {"timeout": -1.0}, {"timeout": float("nan")}])
def test_options_are_checked(options) -> None:
    with pytest.raises(openptx.ArgumentError):
        verdict("mov.u32 d, a;", "mov.u32 d, a;", **options)


FUNCTIONS = """
.extern .func outside ();
.func (.reg .b32 d) clamp (.reg .b32 a)
{
    .reg .pred p;
    setp.gt.u32 p, a, 100;
    @p bra BIG;
    mov.u32 d, a;
    ret;
BIG:
    mov.u32 d, 100;
    ret;
}
.func (.param .b32 d) twice (.param .b32 a)
{
    .local .b32 kept; .reg .b32 x, y;
    ld.param.u32 x, [a];
    ld.local.u32 y, [kept];
    add.u32 y, y, x;
    st.local.u32 [kept], y;
    ld.local.u32 x, [kept];
    shl.b32 x, x, 1;
    call (x), clamp, (x);
    st.param.b32 [d], x;
    ret;
}
.func (.reg .b32 d) down (.reg .b32 a)
{
    .reg .pred p; .reg .b32 b;
    setp.eq.u32 p, a, 0;
    mov.u32 d, 0;
    @p ret;
    sub.u32 b, a, 1;
    call (d), down, (b);
    ret;
}
"""


def with_functions(body: str):
    """A kernel that writes what `body` makes of element 0 of x to element 0 of y."""
    return openptx.load(
        HEAD
        + FUNCTIONS
        + f""".visible .entry k(.param .u64 x, .param .u64 y) {{
    .reg .b32 a, d; .reg .b64 px, py; .reg .pred p; .param .b32 given, got;
    ld.param.u64 px, [x]; ld.param.u64 py, [y];
    ld.global.u32 a, [px];
    {body}
    st.global.u32 [py], d;
    ret; }}"""
    )["k"]


TWICE = "st.param.b32 [given], a; call (got), twice, (given); ld.param.u32 d, [got];"
CALLS = {
    "two returns": ("call (d), clamp, (a);", "min.u32 d, a, 100;", "equal"),
    "frames": (TWICE, "add.u32 d, a, a; min.u32 d, d, 100;", "equal"),
    "frames of two calls": (TWICE + TWICE, TWICE, "equal"),
    "a guarded call": ("mov.u32 d, a; setp.gt.u32 p, a, 7; @p call (d), clamp, (a);", "min.u32 d, a, 100;", "equal"),
    "another limit": ("call (d), clamp, (a);", "min.u32 d, a, 101;", "different"),
    "recursion that ends": ("call (d), down, (9);", "mov.u32 d, 0;", "equal"),
    "an external function": ("call outside; mov.u32 d, a;", "mov.u32 d, a;", "unknown (call)"),
    "an external function never called": (
        "and.b32 d, a, 7; setp.gt.u32 p, d, 7; @p call outside; mov.u32 d, a;",
        "mov.u32 d, a;",
        "equal",
    ),
    "open recursion": ("call (d), down, (a);", "mov.u32 d, 0;", "unknown (loop-bound)"),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    one, two, said = CALLS[name]
    found = openptx.prove(with_functions(one), with_functions(two))
    assert str(found).split(":")[1].strip().startswith(said), str(found)


def test_launches_that_always_fault_prove_nothing() -> None:
    misaligned = "ld.global.u32 d, [px + 2]; add.u32 d, d, 3;"
    for which, pair in (("first", (misaligned, "mov.u32 d, a;")), ("second", ("mov.u32 d, a;", misaligned))):
        one, two = (
            openptx.load(
                HEAD + ".visible .entry k(.param .u64 x, .param .u64 y) { .reg .b64 px, py; .reg .b32 a, d;"
                " ld.param.u64 px, [x]; ld.param.u64 py, [y]; ld.global.u32 a, [px];"
                f" {body} st.global.u32 [py], d; ret; }}"
            )["k"]
            for body in pair
        )
        found = openptx.prove(one, two)
        assert (found.verdict, found.reason) == ("unknown", "fault"), str(found)
        assert which in found.detail


def test_required_blocks_must_agree() -> None:
    empty = ".visible .entry k() .reqntid {} {{ ret; }}"
    a, b, same = (openptx.load(HEAD + empty.format(block))["k"] for block in ("32", "64", "32, 1, 1"))
    assert openptx.prove(a, same).verdict == "equal"
    with pytest.raises(openptx.ArgumentError, match=r"`\.reqntid 32` and `\.reqntid 64`"):
        openptx.prove(a, b)
