"""Contraction does not change the results of loops of unusual shapes on small integers, which are never rounded."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
from straight_line import results

from openptx.rewrite import contraction

ROUND = "add.f32 c, c, u; mul.f32 u, a, b; add.s32 r, r, 1;"
STORED = " ".join(f"st.global.f32 [o + {4 * n}], {name};" for n, name in enumerate("abcev"))
COUNTED = f"setp.ge.s32 q, r, s; @q bra X; {ROUND}"

PROGRAMS = {
    "the branch back has a guard": f"H: setp.ge.s32 q, r, 4; @q bra X; {ROUND} @p bra H; X:",
    "the counter is not set again": f"""
        O: H: {ROUND} setp.lt.s32 q, r, 4; @q bra H;
        add.s32 s, s, -1; setp.gt.s32 q, s, 0; @q bra O;""",
    "the exit leads elsewhere": f"@!p bra F; H: {COUNTED} bra H; F: add.f32 c, c, 0f42C80000; X:",
    "a copied operand changes after the place it moves to": """
        sub.f32 x, e, a; H: mul.f32 y, x, b; membar.gl; add.f32 v, y, c; membar.gl;
        add.s32 r, r, 1; setp.ge.s32 q, r, s; @q bra X; mov.f32 a, c; bra H; X:""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_shapes(name: str) -> None:
    body = f"mov.f32 u, e; mov.f32 v, e; mov.u32 r, 0; cvt.rzi.s32.f32 s, c; {PROGRAMS[name]} {STORED}"
    given = [1, 2, 5, -4] if "guard" in name else [3, 2, 5, -4]
    assert results(body, "ptxas", given) == results(body, "off", given)


class Program:
    """A random program: loops are nested, follow each other, are left early and entered in the middle; their counters
    are set before them or once. Registers `n` are written again and again, `m` once."""

    def __init__(self, seed: int) -> None:
        self.rng, self.fresh = random.Random(seed), itertools.count()
        self.bounds = dict.fromkeys((*"abce", *(f"n{i}" for i in range(6))), 9)  # of readable registers
        self.first = [f"mov.f32 n{i}, {self.rng.choice('abce')};" for i in range(6)]
        self.declared: list[str] = []
        rest = [*self.body(3), *self.body(3)]
        stored = [f"st.global.f32 [o + {4 * i}], {name};" for i, name in enumerate(self.bounds)]
        self.text = "\n".join((*self.first, *rest, *stored))

    def guard(self, *others: str) -> str:
        return self.rng.choice((*others, "@p ", "@!p ", "@q ", "@!q "))

    def statement(self) -> str:
        rng, number = self.rng, next(self.fresh)
        what, (a, b) = rng.choice(("mul", "mul", "add", "sub")), rng.choices(list(self.bounds), k=2)
        bound = self.bounds[a] * self.bounds[b] if what == "mul" else self.bounds[a] + self.bounds[b]
        if rng.random() < 0.1:
            return rng.choice(("membar.gl;", f"setp.lt.f32 {rng.choice('pq')}, {a}, {b};"))
        if rng.random() < 0.4 or bound > 1 << 20:
            guard, to = self.guard("", "", "", ""), f"n{rng.randrange(6)}"
            limits = f"{guard}min.f32 {to}, {to}, 0f41100000; {guard}max.f32 {to}, {to}, 0fC1100000;"
            return f"{guard}{what if bound <= 1 << 20 else 'min'}.f32 {to}, {a}, {b}; {limits}"
        self.declared.append(f"m{number}")
        self.bounds[f"m{number}"] = bound
        return f"{what}.f32 m{number}, {a}, {b};"

    def body(self, depth: int) -> Iterator[str]:
        for _ in range(self.rng.randrange(1, 4)):
            yield self.statement()
        if depth:
            yield from self.rng.choice((self.branch, self.loop, self.loop))(depth - 1)
            yield self.statement()

    def branch(self, depth: int) -> Iterator[str]:
        number, before = next(self.fresh), dict(self.bounds)
        yield f"{self.guard()}bra E{number};"
        yield from self.body(depth)
        self.bounds = before
        yield f"E{number}:"

    def loop(self, depth: int) -> Iterator[str]:
        rng, number, before = self.rng, next(self.fresh), dict(self.bounds)
        shape, enters, skips = rng.choice(("do", "while", "middle")), rng.random() < 0.2, rng.random() < 0.2
        bound = rng.choice(("2", "3", "5", "s"))
        step, test = f"add.s32 r{number}, r{number}, 1;", f"setp.lt.s32 t{number}, r{number}, {bound};"
        leave = f"setp.ge.s32 t{number}, r{number}, {bound}; @t{number} bra X{number};"
        self.first.append(f".reg .b32 r{number}; .reg .pred t{number}; mov.u32 r{number}, 0;")
        if rng.random() < 0.7:
            self.first[-1] = self.first[-1].replace(f"mov.u32 r{number}, 0;", "")
            yield f"mov.u32 r{number}, 0;"
        yield f"{self.guard()}bra F{number};" if skips else ""
        yield f"{self.guard()}bra I{number};" if enters else ""
        yield f"H{number}: {leave if shape == 'while' else ''}"
        yield from self.body(depth)
        if enters:
            self.bounds = dict(before)
            yield f"I{number}:"
        yield f"{step} {leave}" if shape == "middle" else self.statement()
        yield from self.body(0)
        yield f"{self.guard()}bra X{number};" if rng.random() < 0.2 else ""
        back = f"@t{number} " if shape == "do" else self.guard(*[""] * 12)
        yield f"{'' if shape == 'middle' else step} {test if shape == 'do' else ''} {back}bra H{number};"
        self.bounds = before
        if skips:
            yield f"F{number}:"
            yield from self.body(0)
            self.bounds = dict(before)
        yield f"X{number}:"


def agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether contraction keeps the results. Half of the programs are contracted after unrolling and code motion even
    where these do not change which products are."""
    with monkeypatch.context() as patch:
        if seed % 2:
            patch.setattr(contraction, "alike", lambda *_: False)
            patch.setattr(contraction, "fused", lambda _: object())
            patch.setattr(contraction.Contraction, "may_change", lambda _: True)
        program = Program(seed)
        given = [random.Random(seed).randrange(-3, 4) for _ in range(4)]
        names = ", ".join((*(f"n{i}" for i in range(6)), *program.declared))
        body = f".reg .f32 {names}; setp.gt.f32 q, c, e; cvt.rzi.s32.f32 s, c; {program.text}"
        return results(body, "ptxas", given) == results(body, "off", given)


@pytest.mark.parametrize("seed", [*range(8), 29, 79, 87, 140, 188])  # the last ones once found defects
def test_random_loops(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert agree(seed, monkeypatch)


@pytest.mark.sweep
@pytest.mark.parametrize("seeds", [range(n, n + 50) for n in range(1000, 1500, 50)])
def test_more_random_loops(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [seed for seed in seeds if not agree(seed, monkeypatch)] == []
