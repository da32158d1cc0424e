"""Random kernels of a few accesses and barriers: where the reference engine finds a race, machine code has a doubt.

It may have one where there is no race, but has none where only barriers of whole blocks and whole warps are needed.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import openptx
from openptx.sanitize.entry import Report, watch
from openptx.sanitize.options import Options

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a) {
    .reg .b64 p, q, s, x, y, z, u; .reg .b32 i, t, o, v, w, m; .reg .b16 h; .reg .pred c;
    .shared .align 16 .b8 tile[4096];
    ld.param.u64 p, [a];
    mov.u32 t, %tid.x;
    mov.u32 i, %ctaid.x;
"""
#         bytes, what a store stores, what a load loads
KINDS = {
    "u32": (4, "v", "v"),
    "u64": (8, "x", "x"),
    "v2.u32": (8, "{v, w}", "{v, w}"),
    "v4.u32": (16, "{v, w, v, w}", "{v, w, m, o}"),
    "u8": (1, "h", "h"),
    "u16": (2, "h", "h"),
}
PLACES = (
    "mov.u32 o, t;", "mov.u32 o, {n};", "xor.b32 o, t, {n};", "and.b32 o, t, 15;", "shr.u32 o, t, {k};",
    "mul.lo.u32 o, t, {k}; and.b32 o, o, 63;", "add.u32 o, t, {n};", "mad.lo.u32 o, i, 64, t;", "xor.b32 o, t, 63;",
    "and.b32 o, t, 48; shr.u32 m, t, 2; and.b32 m, m, 3; or.b32 o, o, m;", "mul.lo.u32 o, t, 4;", "sub.u32 o, 63, t;",
)  # fmt: skip
"""Which of 256 elements a thread means."""


GUARDS = (
    "", "", "", "setp.eq.u32 c, t, {n};", "setp.lt.u32 c, t, {n};", "and.b32 m, t, 1; setp.eq.u32 c, m, 0;",
    "setp.eq.u32 c, i, {b};",
)  # fmt: skip


def kernel(seed: int, small: bool) -> str:
    """`small`: accesses of less than 32 bits are among them."""
    r, lines = random.Random(seed), [HEAD]
    space = r.choice(("shared", "global", "generic", "generic shared"))
    for _ in range(r.randint(2, 7)):
        what = r.random()
        if what < 0.25:
            lines.append("bar.sync 0;")
        elif what < 0.33:
            lines.append("bar.warp.sync -1;")
        else:
            lines += access(r, space, small)
    return "\n".join([*lines, "ret;", "}", ""])


def access(r: random.Random, space: str, small: bool) -> list[str]:
    """One to four accesses by one address register."""
    kind = r.choice(list(KINDS)[: None if small else 4])
    size, given, taken = KINDS[kind]
    place = r.choice(PLACES).format(n=r.randint(0, 40), k=r.randint(1, 5))
    guard = r.choice(GUARDS).format(n=r.randint(1, 63), b=r.randint(0, 1))
    on = "@c " if guard else ""
    base = "mov.u64 u, tile;" if "shared" in space else "mov.u64 u, p;"
    base += "cvta.shared.u64 u, u;" if space == "generic shared" else ""
    state = "" if "generic" in space else f".{space}"
    found = [place, f"mul.wide.u32 q, o, {size}; {base} add.u64 q, u, q;", guard]
    for times in range(r.choice((1, 1, 2, 4))):
        at = f"[q+{times * r.choice((size, size, 64, 4 * size)) // size * size}]"
        strength = r.choice(("", "", "", ".volatile", ".relaxed.gpu", ".relaxed.cta"))
        if r.random() < 0.15 and kind in ("u32", "u64"):
            scope = r.choice((".relaxed.gpu", ".relaxed.cta", ""))
            found.append(f"{on}red{scope}{state}.add.{kind} {at}, {given};")
        elif r.random() < 0.4:
            found.append("mov.u32 v, t; cvt.u64.u32 x, t; cvt.u16.u32 h, t;")
            found.append(f"{on}st{strength}{state}.{kind} {at}, {given};")
        else:
            found.append(f"{on}ld{strength}{state}.{kind} {taken}, {at};")
    return found


def verdicts(seed: int, small: bool) -> tuple[bool, bool]:
    """Whether the reference engine finds something, and whether machine code has a doubt."""
    text, reports = kernel(seed, small), list[Report]()
    grid, block = 1 + seed % 2, 64 if seed % 5 else 48
    for engine in ("interp", "native"):
        options = Options(frozenset(("race",)), strict=True, engine=engine)
        array = np.zeros(1 << 12, np.uint32)
        reports.append(watch(openptx.load(text)["k"], grid, block, [array], options))
    return bool(reports[0].findings), bool(reports[1].reason)


def compare(seeds: range, small: bool) -> None:
    races = doubts = 0
    for seed in seeds:
        race, doubt = verdicts(seed, small)
        assert doubt or not race, f"seed {seed}:\n{kernel(seed, small)}"
        races, doubts = races + race, doubts + (doubt and not race)
    clean = len(seeds) - races
    assert min(races, clean) >= len(seeds) // 10, "hardly anything was compared"
    # Also about volatile accesses by generic addresses, which are doubted as if they were of shared memory.
    assert doubts <= clean // 4, "machine code doubts what is clean"


@pytest.mark.parametrize("small", [False, True], ids=["words", "bytes"])
def test_no_race_is_accepted(small: bool) -> None:
    compare(range(6), small)


@pytest.mark.sweep
@pytest.mark.parametrize("small", [False, True], ids=["words", "bytes"])
@pytest.mark.parametrize("chunk", range(10))
def test_no_race_is_accepted_in_many_kernels(chunk: int, small: bool) -> None:
    compare(range(1000 + 100 * chunk, 1100 + 100 * chunk), small)
