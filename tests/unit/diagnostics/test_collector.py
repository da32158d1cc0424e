"""The collector: in the order of the text, with repetitions of one cause merged."""

from __future__ import annotations

from openptx.diagnostics import Collector, Diagnostic
from openptx.source import File

FILE = File("k.ptx", "add a\nadd b\nadd a\nadd a\n")


def at(offset: int, message: str = "unknown") -> Diagnostic:
    return Diagnostic("unknown-name", message, FILE, (offset, offset + 1))


def test_order_is_that_of_the_text() -> None:
    collector = Collector()
    for offset in (10, 4, 16):
        collector.add(at(offset))
    assert [d.span[0] for d in collector.diagnostics] == [4, 10, 16]


def test_repeats_of_a_cause_are_places_of_the_first() -> None:
    collector = Collector()
    for offset, cause in ((4, "a"), (10, "b"), (16, "a"), (22, "a")):
        collector.add(at(offset), cause)
    first, second = collector.diagnostics
    assert first.also == ((16, 17), (22, 23))
    assert second.also == ()
    assert len(collector) == 2


def test_without_a_cause_nothing_is_folded() -> None:
    collector = Collector()
    collector.extend([at(4), at(4)])
    assert len(collector.diagnostics) == 2


def test_folding_keeps_every_fact() -> None:
    collector = Collector()
    full = Diagnostic("operand-type", "m", FILE, (4, 5), "l", operand="a", expected="e", actual="x", rule="r", help="h")
    collector.add(full, "cause")
    collector.add(at(10), "cause")
    (kept,) = collector.diagnostics
    assert [getattr(kept, name) for name in ("operand", "expected", "actual", "rule", "help", "label", "message")] == [
        "a", "e", "x", "r", "h", "l", "m",
    ]  # fmt: skip
