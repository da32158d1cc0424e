"""Random kernels of stores, loads and uses: where the reference engine finds a use of undefined bits, machine code has
a doubt. It may have one where there is no such use, but has none where all that is loaded has been written."""

from __future__ import annotations

import random

import numpy as np
import pytest

import openptx
from openptx.sanitize.entry import Report, watch
from openptx.sanitize.options import Options
from openptx.sanitize.undefined_bits.arrays import undefined_bits

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {
    .reg .b64 p, e, q, x, y, z, u; .reg .b32 i, t, o, v, w, m, n, r<4>; .reg .b16 h; .reg .pred c, d;
    .shared .align 16 .b8 tile[4096];
    .local .align 16 .b8 own[256];
    ld.param.u64 p, [a];
    ld.param.u64 e, [b];
    mov.u32 t, %tid.x;
    mov.u32 i, %ctaid.x;
    mov.u32 v, 0; mov.u32 w, 0; mov.u32 m, 0; mov.u32 n, 0; mov.u64 x, 0; mov.u64 y, 0; mov.u16 h, 0; mov.b64 z, 0;
"""
#         bytes, what a store stores, what a load loads
KINDS = {
    "u32": (4, "t", "v"),
    "u64": (8, "p", "x"),
    "v2.u32": (8, "{t, i}", "{v, w}"),
    "v4.u32": (16, "{t, i, t, i}", "{v, w, m, n}"),
    "u8": (1, "t", "v"),
    "u16": (2, "t", "v"),
}
PLACES = (
    "mov.u32 o, t;", "mov.u32 o, {n};", "xor.b32 o, t, {n};", "and.b32 o, t, 15;", "shr.u32 o, t, {k};",
    "mul.lo.u32 o, t, {k}; and.b32 o, o, 63;", "add.u32 o, t, {n};", "xor.b32 o, t, 63;", "sub.u32 o, 63, t;",
    "and.b32 o, t, 48; shr.u32 m, t, 2; and.b32 m, m, 3; or.b32 o, o, m;", "mul.lo.u32 o, t, 4;",
)  # fmt: skip
"""Which of 256 elements a thread means: of local memory, the lowest four bits of it."""
GUARDS = (
    "", "", "", "setp.eq.u32 c, t, {n};", "setp.lt.u32 c, t, {n};", "and.b32 m, t, 1; setp.eq.u32 c, m, 0;",
    "setp.eq.u32 c, i, {b};",
)  # fmt: skip
SPACES = ("shared", "local", "global", "generic shared", "generic local", "generic")
FILL = {
    "shared": "mul.lo.u32 o, t, 64; mov.u32 m, tile; add.u32 o, o, m;"
    + "".join(f"st.shared.v4.u32 [o+{k}], {{t, t, t, t}};" for k in range(0, 64, 16))
    + "bar.sync 0;",
    "local": "".join(f"st.local.u64 [own+{k}], p;" for k in range(0, 256, 8)),
    "global": "mul.wide.u32 q, t, 64; add.u64 q, e, q;"
    + "".join(f"st.global.v4.u32 [q+{k}], {{t, t, t, t}};" for k in range(0, 64, 16)),
}
USES = (
    "setp.eq.u32 d, v, 7; @d st.global.u32 [p], t;",
    "setp.eq.u32 d, w, 7; @d bra ON{k}; st.global.u32 [p+64], t; ON{k}:",
    "add.u32 v, v, 1; st.global.u32 [p+128], v;",
    "st.global.u32 [p+192], v;",
    "and.b32 v, v, 60; cvt.u64.u32 y, v; add.u64 y, p, y; ld.global.u32 v, [y];",
    "and.b32 v, v, 0; setp.eq.u32 d, v, 0; @d st.global.u32 [p], t;",
    "shfl.sync.idx.b32 v, v, {n}, 31, -1; st.global.u32 [p+256], v;",
    "@c shfl.sync.idx.b32 v, t, {n}, 31, -1;",
    "cvt.u32.u64 v, x; cvt.u32.u16 w, h;",
    "mov.u32 v, r{b};", "add.u32 v, r{b}, r2;", "@c mov.u32 v, r{b};", "@!c mov.u32 v, r{b};",
)  # fmt: skip


def kernel(seed: int) -> str:
    r, lines = random.Random(seed), [HEAD]
    filled = [name for name in FILL if r.random() < 0.8]
    lines += [FILL[name] for name in filled]
    lines += [f"setp.lt.u32 c, t, {r.randint(1, 64)};"]
    lines += [f"{r.choice(('', '', '', '@c ', '@!c '))}mov.u32 r{k}, t;" for k in range(4)]
    for number in range(r.randint(2, 7)):
        lines += access(r)
        lines.append(r.choice(USES).format(n=r.randint(0, 31), b=r.randint(0, 1), k=number) if r.random() < 0.6 else "")
        lines.append("bar.sync 0;" if r.random() < 0.1 else "")
    return "\n".join([*lines, "ret;", "}", ""])


def access(r: random.Random) -> list[str]:
    """One to four accesses by one address register."""
    kind, space = r.choice(list(KINDS)), r.choice(SPACES)
    size, given, taken = KINDS[kind]
    place = r.choice(PLACES).format(n=r.randint(0, 40), k=r.randint(1, 5))
    guard = r.choice(GUARDS).format(n=r.randint(1, 63), b=r.randint(0, 1))
    on = "@c " if guard else ""
    if space.endswith("local"):
        place += f"and.b32 o, o, {256 // size // 4 - 1};"
    base = "mov.u64 u, tile;" if "shared" in space else "mov.u64 u, own;" if "local" in space else "mov.u64 u, e;"
    base += f"cvta.{space.split()[1]}.u64 u, u;" if " " in space else ""
    state = "" if "generic" in space else f".{space}"
    found = [place, f"mul.wide.u32 q, o, {size}; {base} add.u64 q, u, q;", guard]
    for times in range(r.choice((1, 1, 2, 4))):
        at = f"[q+{times * r.choice((size, size, 64, 4 * size)) // size * size % 192}]"
        if r.random() < 0.15 and kind in ("u32", "u64") and "local" not in space:
            found.append(f"{on}atom{state}.add.{kind} {taken}, {at}, 1;")
        elif r.random() < 0.4:
            found.append(f"{on}st{state}.{kind} {at}, {given};")
        else:
            found.append(f"{on}ld{state}.{kind} {taken}, {at};")
    return found


def verdicts(seed: int) -> tuple[bool, bool]:
    """Whether the reference engine finds something, and whether machine code has a doubt."""
    text, reports, left = kernel(seed), list[Report](), list[bytes]()
    grid, block = 1 + seed % 2, 64 if seed % 5 else 48
    outputs = (1,) if seed % 7 == 0 else ()
    for engine in ("interp", "native"):
        array, empty = np.zeros(1 << 12, np.uint32), openptx.empty(4096, np.uint8)
        options = Options(frozenset(("init",)), outputs=outputs, engine=engine)
        reports.append(watch(openptx.load(text)["k"], grid, block, [array, empty], options))
        bits = undefined_bits(empty)
        assert bits is not None
        left.append(bits.tobytes())
    if not reports[1].reason:
        assert left[0] == left[1], f"seed {seed}: other bytes are undefined in the end"
    return bool(reports[0].findings), bool(reports[1].reason)


def compare(seeds: range) -> None:
    wrong = doubts = 0
    for seed in seeds:
        undefined, doubt = verdicts(seed)
        assert doubt or not undefined, f"seed {seed}:\n{kernel(seed)}"
        wrong, doubts = wrong + undefined, doubts + (doubt and not undefined)
    clean = len(seeds) - wrong
    assert min(wrong, clean - doubts) >= len(seeds) // 10, (wrong, doubts, "hardly anything was compared")


def test_no_use_of_undefined_bits_is_accepted() -> None:
    compare(range(8))


@pytest.mark.sweep
@pytest.mark.parametrize("chunk", range(10))
def test_no_use_of_undefined_bits_is_accepted_in_many_kernels(chunk: int) -> None:
    compare(range(1000 + 100 * chunk, 1100 + 100 * chunk))
