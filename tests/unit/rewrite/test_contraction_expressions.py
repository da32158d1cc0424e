"""Expressions of tools/compare_contraction.py: doubles taken apart and put together again, and where two differ."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))
expressions: Any = import_module("contraction.expressions")
comparison: Any = import_module("contraction.comparison")
make, negated, absolute, pair = expressions.make, expressions.negated, expressions.absolute, expressions.pair

DOUBLES: dict[str, Callable[[], Any]] = {  # made in each test, since other tests forget expressions
    "loaded": lambda: make("ind", 8),
    "sum": lambda: expressions.total("f64", "", make("ind", 8), make("ind", 16)),
    "parameter": lambda: pair(make("parameter", 0), make("parameter", 4)),
    "words of two": lambda: pair(make("in", 8), make("in", 20)),
    "number": lambda: expressions.constant(-1.5, "f64"),
    "word and number": lambda: pair(make("in", 8), expressions.bits(0xBFF00000)),
}
SIGNS = {
    "negated": negated,
    "magnitude": absolute,
    "negated magnitude": lambda e: negated(absolute(e)),
    "twice": lambda e: negated(negated(e)),
}


@pytest.mark.parametrize("sign", SIGNS.values(), ids=SIGNS.keys())
@pytest.mark.parametrize("double", DOUBLES.values(), ids=DOUBLES.keys())
def test_words_of_a_signed_double_are_it_again(double: Callable[[], Any], sign: Any) -> None:
    e = sign(double())
    assert pair(expressions.low(e), expressions.high(e)) is e


@pytest.mark.parametrize("sign", SIGNS.values(), ids=SIGNS.keys())
@pytest.mark.parametrize("double", DOUBLES.values(), ids=DOUBLES.keys())
def test_the_sign_of_the_upper_word_is_that_of_the_double(double: Callable[[], Any], sign: Any) -> None:
    """As machine code changes it, in the upper word alone."""
    e = double()
    assert pair(expressions.low(e), sign(expressions.high(e))) is sign(e)


def test_a_saturated_sum_of_what_is_not_positive_is_zero() -> None:
    negative, zero = negated(absolute(make("in", 8))), expressions.bits(0)
    once = expressions.total("f32", ".sat", negative, negative)
    assert once is zero
    assert expressions.total("f32", ".sat", once, once) is zero
    assert expressions.total("f32", ".sat", once, make("in", 8)) is not zero


def test_a_difference_is_shown_from_where_it_begins() -> None:
    theirs, ours = make("ind", 8), negated(make("ind", 8))
    for n in range(10):
        theirs, ours = (expressions.total("f64", "", e, make("ind", 8 * n + 16)) for e in (theirs, ours))
    assert comparison.shown_apart(theirs, ours) == ("ind(8)", "neg(ind(8))")
    assert comparison.shown_apart(None, make("in", 4)) == ("nothing", "in(4)")
