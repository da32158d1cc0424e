"""Contraction does not change random programs with branches and loops on small integers, which are never rounded."""

from __future__ import annotations

import random

import numpy as np
import pytest
from straight_line import kernel

import openptx


def program(rng: random.Random) -> str:
    """Registers are written once or again and again, under guards, round loops and in arms of branches."""
    names, lines = ["a", "b", "c", "e", *(f"n{i}" for i in range(12))], list[str]()
    lines += [f"mov.f32 n{i}, {rng.choice('abce')};" for i in range(12)]
    fresh = 0

    def statements(count: int) -> None:
        nonlocal fresh
        for _ in range(count):
            a, b = rng.choice(names), rng.choice(names)
            if rng.random() < 0.3:
                to, guard = f"n{rng.randrange(12)}", rng.choice(("", "", "@p ", "@!q "))
            else:
                to, guard, fresh = f"m{fresh}", "", fresh + 1
            what = rng.choice(("mul", "add", "sub", "max", "min", "add", "mul"))
            lines.append(f"{guard}{what}.f32 {to}, {a}, {b};")
            lines.append(f"{guard}min.f32 {to}, {to}, 0f41100000;")  # at most 9
            lines.append(f"{guard}max.f32 {to}, {to}, 0fC1100000;")
            if to.startswith("m"):
                lines[-3:] = (
                    [f"{what}.f32 {to}, {a}, {b};"] if what in ("add", "sub") or rng.random() < 0.4 else lines[-3:]
                )
                names.append(to)
            if rng.random() < 0.15:
                lines.append(
                    rng.choice(
                        (
                            "membar.gl;",
                            "@p st.global.f32 [o + 512], a;",
                            f"st.global.f32 [o + {4 * rng.randrange(64)}], {to};",
                        )
                    )
                )

    for label in range(5):
        statements(rng.randrange(1, 5))
        kept, way = list(names), rng.random()
        if way < 0.4:
            lines.append(f"@{rng.choice(('p', '!p', 'q'))} bra L{label};")
            statements(3)
            lines.append(f"L{label}:")
        elif way < 0.6:
            lines.append(f"@{rng.choice(('p', 'q'))} bra L{label};")
            statements(2)
            lines.append(f"bra M{label}; L{label}:")
            names[:] = kept
            statements(2)
            lines.append(f"M{label}:")
        else:
            lines.append(f"mov.u32 r, 0; L{label}:")
            statements(3)
            lines.append(f"add.u32 r, r, 1; setp.lt.u32 s1, r, {rng.randrange(2, 4)}; @s1 bra L{label};")
            kept = kept if way < 0.8 else list(names)
        names[:] = kept
    for i in range(40):
        lines.append(f"st.global.f32 [o + {4 * (64 + i)}], {rng.choice(names)};")
    return "\n".join(lines)


def differing(seed: int) -> str | None:
    """The program, where it gives other results."""
    rng = random.Random(seed)
    declarations = ".reg .f32 n<12>, m<200>; .reg .pred s1;"
    body = "setp.gt.f32 q, c, e;" + program(rng)
    text = kernel(body, declarations=declarations)
    given = np.array([rng.randrange(-3, 4) for _ in range(4)], np.float32)
    found = [np.zeros(256, np.float32) for _ in range(2)]
    for array, contract in zip(found, ("ptxas", "off"), strict=True):
        openptx.load(text, contract=contract)["k"](1, 1, (given, array, 0), engine="interp")
    return None if np.array_equal(found[0] + 0, found[1] + 0) else body


@pytest.mark.parametrize("seed", range(20))
def test_whole_numbers(seed: int) -> None:
    assert differing(seed) is None
