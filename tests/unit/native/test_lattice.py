"""The lattice of facts: `join` is commutative, associative, idempotent, an upper bound; widening ends chains."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from openptx.engines.native.analysis.lattice import ZEROS, Fact, N, collapse, fact_of, join, varying

WIDTHS = (1, 16, 32, 64)
STEPS = tuple(range(0, 4 * N, 4))


def fact(dice: random.Random, w: int) -> Fact:
    """Any that the analysis can meet: known numbers, base and offsets with or without bounds, floats, varying."""
    kind = dice.randrange(5)
    value = dice.choice((0, 1, 5, 8, (1 << w) - 1, 1 << w - 1)) & (1 << w) - 1
    if kind == 0:
        return fact_of(value, w)
    if kind == 1 and w >= 16:
        return fact_of(collapse(tuple(value + s & (1 << w) - 1 for s in dice.choice((STEPS, tuple(range(N)))))), w)
    if kind == 2:
        return varying(dice.random() < 0.5, dice.choice((None, ("param", 0, 64))))
    lanes = ZEROS if w == 1 else dice.choice((ZEROS, STEPS))
    high = dice.choice((-1, 0, 7, 31))
    return Fact(None, lanes, dice.choice((0, 2, 5)), high, raw=w > 1 and dice.random() < 0.3)


def facts(w: int, seed: int) -> list[Fact]:
    dice = random.Random(seed)
    return [fact(dice, w) for _ in range(25)]


def holds(value: tuple[int, ...], f: Fact, w: int) -> bool:
    """Whether 32 numbers are what a fact allows, floats' payloads aside."""
    mask = (1 << w) - 1
    if f.known is not None:
        return value == (f.known if isinstance(f.known, tuple) else (f.known,) * N)
    if f.lanes is None:
        return True
    bases = {v - d & mask for v, d in zip(value, f.lanes, strict=True)}
    base = min(bases)
    return len(bases) == 1 and base % (1 << min(f.tz, w)) == 0 and (f.high < 0 or base <= f.high)


def examples(f: Fact, w: int) -> list[tuple[int, ...]]:
    mask = (1 << w) - 1
    if f.known is not None:
        return [f.known if isinstance(f.known, tuple) else (f.known,) * N]
    bases = [b & mask & -(1 << f.tz) for b in (0, 3, 8, 32, mask, 1 << w - 1)]
    found = [tuple(b + d & mask for d in f.lanes or range(7, 7 + N)) for b in bases if f.high < 0 or b <= f.high]
    return found if f.lanes is not None else [*found, tuple(i * i & mask for i in range(N))]


@pytest.mark.parametrize("w", WIDTHS)
def test_join_is_commutative_and_idempotent(w: int) -> None:
    for a in facts(w, w):
        assert join(a, a, False) == a
        for b in facts(w, w + 1):
            assert join(a, b, False) == join(b, a, False)


@pytest.mark.parametrize("w", WIDTHS)
def test_join_is_associative(w: int) -> None:
    for a in facts(w, 2 * w):
        for b in islice(facts(w, 2 * w + 1), 12):
            for c in islice(facts(w, 2 * w + 2), 12):
                assert join(join(a, b, False), c, False) == join(a, join(b, c, False), False)


@pytest.mark.parametrize("w", WIDTHS)
@pytest.mark.parametrize("widen", [False, True])
def test_join_is_an_upper_bound(w: int, widen: bool) -> None:
    """What holds of one of two facts holds of their join, with widening too."""
    for a in facts(w, 3 * w):
        for b in facts(w, 3 * w + 1):
            both = join(a, b, widen)
            for one in (a, b):
                assert all(holds(value, both, w) for value in examples(one, w)), (a, b, both)


@pytest.mark.parametrize("w", WIDTHS)
def test_join_is_monotone(w: int) -> None:
    """Where `b` is at least as precise as `c`, so is `join(a, b)` compared with `join(a, c)`."""
    for a in facts(w, 4 * w):
        for b in islice(facts(w, 4 * w + 1), 12):
            for d in islice(facts(w, 4 * w + 2), 12):
                c = join(b, d, False)
                lower, upper = join(a, b, False), join(a, c, False)
                assert join(lower, upper, False) == upper


@pytest.mark.parametrize("w", WIDTHS)
def test_widening_ends_every_chain(w: int) -> None:
    """After `widen`, a fact changes only a few times more, whatever is joined to it."""
    dice = random.Random(w)
    for seed in range(20):
        current, changes = facts(w, seed)[0], 0
        for _ in range(300):
            joined = join(current, fact(dice, w), True)
            changes += joined != current
            current = joined
        assert changes <= 12
