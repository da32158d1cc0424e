"""Errors of hostile kernels in control flow: loops, calls, barriers, traps."""

from __future__ import annotations

import random

from violations import ACCESS, Violation


def endless_loop(dice: random.Random) -> Violation:
    code = dice.choice(
        (
            "AGAIN: bra AGAIN;",
            "AGAIN: add.u32 i, i, 1; setp.ne.u32 q, i, i; @!q bra AGAIN;",
            "AGAIN: st.global.u64 [o], b; bra AGAIN;",
            "AGAIN: ld.volatile.global.u64 a, [o]; setp.ne.u64 q, a, 99; @q bra AGAIN;",
            "A1: add.u32 i, i, 3; and.b32 j, i, 1; setp.eq.u32 q, j, 0; @q bra A1; bra A2; A2: @q bra A1; bra A2;",
            "T: .branchtargets A1, A2; A1: and.b32 j, i, 1; add.u32 i, i, 1; brx.idx j, T; A2: bra A1;",
            "AGAIN: atom.global.cas.b64 a, [o], 1, 2; setp.ne.u64 q, a, 1; @q bra AGAIN;",
            "AGAIN: call spin; bra AGAIN;",
        )
    )
    return Violation(code, frozenset({"timeout"}), ".func spin() { ret; }", timeout=0.08, alone=False)


def endless_recursion(dice: random.Random) -> Violation:
    local = dice.choice((0, 64, 4096, 65536))
    frame = f".local .align 16 .b8 l[{local}]; .reg .b64 a; mov.u64 a, l; st.local.u64 [a], a;" if local else ""
    if dice.random() < 0.5:
        top = f".func down() {{ {frame} call down; ret; }}"
    else:
        top = f".func up(); .func down() {{ {frame} call up; ret; }} .func up() {{ call down; call down; ret; }}"
    return Violation("call down;", frozenset({"stack-overflow"}), top, alone=False, largest=2)


def deep_recursion(dice: random.Random) -> Violation:
    """Deep, but not too deep."""
    top = """.func (.param .b32 r) sum(.param .b32 n) { .reg .b32 a, b; .reg .pred p; ld.param.b32 a, [n];
        setp.eq.u32 p, a, 0; @p bra END; sub.u32 b, a, 1;
        { .param .b32 x; .param .b32 y; st.param.b32 [x], b; call (y), sum, (x); ld.param.b32 b, [y]; } add.u32 a, a, b;
        END: st.param.b32 [r], a; ret; }"""
    call = "{ .param .b32 x; .param .b32 y; st.param.b32 [x], j; call (y), sum, (x); ld.param.b32 i, [y]; }"
    depth = dice.choice((1, 10, 100))
    return Violation(f"mov.u32 j, {depth}; {call} cvt.u64.u32 b, i;", frozenset({""}), top, largest=2)


def huge_frame(dice: random.Random) -> Violation:
    size = dice.choice((1 << 16, 1 << 20, 1 << 24, 1 << 29, (1 << 31) - 16))
    where = f".local .align 16 .b8 big[{size}]; .reg .b64 a; mov.u64 a, big; st.local.u64 [a+{size - 8}], a;"
    return Violation(
        "call deep;",
        frozenset({"stack-overflow", "", "refused"}),
        f".func deep() {{ {where} ret; }}",
        alone=False,
        largest=1,
    )


def lost_barrier(dice: random.Random) -> Violation:
    code = dice.choice(
        ("barrier.sync 3, 4096;", "barrier.cta.sync 1, 2048;", "AGAIN: barrier.sync 2, 1120; bra AGAIN;")
    )
    return Violation(code, frozenset({"deadlock"}))


def invalid_barrier(dice: random.Random) -> Violation:
    number = dice.choice((16, 0xFFFFFFFF)), "barrier.sync j;"
    value, how = dice.choice((number, (33, "barrier.sync 1, j;"), (0, "barrier.sync 0, j;")))
    code = f"mov.u32 j, {value}; {how}"
    return Violation(code, frozenset({"invalid-barrier"}))


def division(dice: random.Random) -> Violation:
    t = dice.choice(("u16", "s16", "u32", "s32", "u64", "s64"))
    op, width = dice.choice(("div", "rem")), int(t[1:])
    a, b = dice.choice(((1 << width - 1, -1), (7, 0), (0, 0), (1 << width - 1, 0)))
    r = {16: "h", 32: "i", 64: "b"}[width]
    up = "" if width == 64 else f" cvt.u64.u{width} b, {r};"
    load = (
        f"mov.b64 c, {a}; mov.b64 a, {b}; cvt.u{width}.u64 {r}, c;"
        if width < 64
        else f"mov.b64 b, {a}; mov.b64 a, {b};"
    )
    if width == 16:
        return Violation(f"{load} .reg .b16 h2; cvt.u16.u64 h2, a; {op}.{t} h, h, h2;{up}", frozenset({""}))
    if width == 32:
        return Violation(f"{load} cvt.u32.u64 j, a; {op}.{t} i, i, j;{up}", frozenset({""}))
    return Violation(f"{load} {op}.{t} b, b, a;", frozenset({""}))


def bad_index(dice: random.Random) -> Violation:
    n = dice.choice((2, 3, 100, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF))
    return Violation(f"T: .branchtargets FINE, FINE; mov.u32 j, {n}; brx.idx j, T;", frozenset({"branch-index"}))


def bad_call(dice: random.Random) -> Violation:
    top = ".func none() { ret; } .func one(.param .b32 x) { ret; } .func two(.param .b64 x, .param .b64 y) { ret; }"
    address = dice.choice(("w", "0", "5 << 32", "(5 << 32) + 8", "(5 << 32) + 4096", "-1", "o"))
    take = f"mov.b64 a, {address};"
    if dice.random() < 0.3:
        take = "mov.u64 a, two;"  # of another signature
    return Violation(f"{take} P: .callprototype _ (); call a, P;", frozenset({"invalid-call-target", ""}), top)


def bad_mask(dice: random.Random) -> Violation:
    code = dice.choice(
        (
            "mov.u32 j, 0; vote.sync.any.pred q, p, j;",
            "mov.u32 j, 0; shfl.sync.idx.b32 i, i, 0, 31, j;",
            "mov.u32 j, 0; match.any.sync.b32 i, i, j;",
            "mov.u32 j, 0; redux.sync.add.u32 i, i, j;",
            "mov.u32 j, 0; bar.warp.sync j;",
            "mov.u32 i, %lanemask_eq; not.b32 j, i; elect.sync i|q, j;",
        )
    )
    return Violation(code, frozenset({"invalid-mask"}))


def trap(dice: random.Random) -> Violation:
    return Violation("trap;", frozenset({"trap"}))


def assertion(dice: random.Random) -> Violation:
    top = (
        ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);"
        ".global .align 1 .b8 text[6] = {78, 79, 33, 32, 33, 0};"
    )
    address = dice.choice(("text", "w"))
    code = f"mov.u64 a, {address}; cvta.global.u64 a, a;" if address == "text" else "mov.u64 a, w;"
    call = (
        "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;"
        " st.param.b64 [m], a; st.param.b64 [f], a; st.param.b32 [l], i; st.param.b64 [n], a; st.param.b64 [s], 1;"
        " call.uni __assertfail, (m, f, l, n, s); }"
    )
    return Violation(code + call, ACCESS | {"assertion"}, top)


def other_lanes(dice: random.Random) -> Violation:
    """Waits for lanes of the warp that wait elsewhere."""
    part = "mov.u32 j, %laneid; and.b32 j, j, 1; setp.eq.u32 q, j, 0; @q bra A1;"
    code = f"{part} barrier.sync 1, 2048; bra A2; A1: bar.warp.sync -1; A2:"
    return Violation(code, frozenset({"deadlock", ""}), alone=False, whole=True)
