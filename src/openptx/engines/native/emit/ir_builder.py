"""The text of one LLVM function while it grows: lines, names, labels, and branches that are hardly ever taken."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class IRBuilder:
    """Lines of the function's body. Names are `%v1`, `%v2`...; labels `b1`, `b2`..."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.head: list[str] = []  # the entry block: what dominates everything else
        self.label = "entry"
        self.count = 0
        self.cold = 0  # above 0 in code that need not dominate what follows
        self.masked: set[str] = set()  # names of what an `and` with constants gave (`IntOps.fenced`)

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text: str) -> str:
        """A line `%v1 = text`; gives the name."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        return name

    def line(self, text: str) -> None:
        self.lines.append(text)

    def first(self, text: str) -> str:
        """A line in the entry block."""
        self.count += 1
        name = f"%v{self.count}"
        self.head.append(f"{name} = {text}")
        return name

    def fresh(self) -> str:
        """A label that nobody uses yet."""
        self.count += 1
        return f"b{self.count}"

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.label = label

    def jump(self, label: str) -> None:
        self.lines.append(f"br label %{label}")

    def branch(self, p: str, yes: str, no: str, weight: str = "") -> None:
        self.lines.append(f"br i1 {p}, label %{yes}, label %{no}{weight}")

    def unlikely(self, p: str, yes: str, no: str) -> None:
        self.branch(p, yes, no, ", !prof !0")

    @contextmanager
    def cold_block(self, p: str) -> Generator[list[str]]:
        """Code for when `p` holds, which is hardly ever; gives [label before, label at the code's end] for phis."""
        yes, on = self.fresh(), self.fresh()
        labels = [self.label]
        self.unlikely(p, yes, on)
        self.start(yes)
        self.cold += 1
        yield labels
        self.cold -= 1
        labels.append(self.label)
        self.jump(on)
        self.start(on)
