"""Builds the text of one LLVM function: lines, names, labels, memory accesses and blocks."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager


class Builder:
    """Lines of the function's body. Names are `%v1`, `%v2`...; labels `b1`, `b2`..."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.label = "entry"
        self.count = 0
        self.cold = 0  # above 0 in blocks that do not dominate the code after them: their values must not be remembered

    # Lines

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text: str) -> str:
        """A line `%v1 = text`; returns the name."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        return name

    def line(self, text: str) -> None:
        self.lines.append(text)

    # Instructions

    def field(self, base: str, offset: int | str) -> str:
        """The address `offset` bytes after a pointer."""
        return self.emit(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, t: str, place: str, align: int, tag: str = "") -> str:
        return self.emit(f"load {t}, ptr {place}, align {align}{tag}")

    def store(self, t: str, value: str | int, place: str, align: int, tag: str = "") -> None:
        self.lines.append(f"store {t} {value}, ptr {place}, align {align}{tag}")

    def shuffle(self, t: str, a: str, b: str, order: Iterable[int | None]) -> str:
        """Elements of two vectors; None: any value."""
        chosen = [f"i32 {'poison' if i is None else i}" for i in order]
        return self.emit(f"shufflevector {t} {a}, {t} {b}, <{len(chosen)} x i32> <{', '.join(chosen)}>")

    def concatenate(self, element: str, n: int, parts: list[str]) -> str:
        """Concatenates vectors of `n` elements; their number is a power of two."""
        while len(parts) > 1:
            t = f"<{n} x {element}>"
            parts = [self.shuffle(t, a, b, range(2 * n)) for a, b in zip(parts[::2], parts[1::2], strict=True)]
            n *= 2
        return parts[0]

    def collect(self, w: int, elements: Sequence[str]) -> str:
        """A vector of integers of `w` bits, a power of two of them; by parts of 128 bits, which LLVM fills element by
        element without combining anything."""
        parts, n = list[str](), min(128 // w, len(elements))
        for start in range(0, len(elements), n):
            part = "poison"
            for i, element in enumerate(elements[start : start + n]):
                part = self.emit(f"insertelement <{n} x i{w}> {part}, i{w} {element}, i32 {i}")
            parts.append(part)
        return self.concatenate(f"i{w}", n, parts)

    def phi(self, t: str, labels: list[str], *values: str) -> str:
        pairs = ", ".join(f"[{value}, %{label}]" for value, label in zip(values, labels, strict=True))
        return self.emit(f"phi {t} {pairs}")

    # Blocks

    def fresh(self) -> str:
        """A new label."""
        self.count += 1
        return f"b{self.count}"

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.label = label

    def jump(self, label: str) -> None:
        self.lines.append(f"br label %{label}")

    def branch(self, p: str, yes: str, no: str, weight: str = "") -> None:
        self.lines.append(f"br i1 {p}, label %{yes}, label %{no}{weight}")

    def likely(self, p: str, yes: str, no: str) -> None:
        self.branch(p, yes, no, ", !prof !1")

    def unlikely(self, p: str, yes: str, no: str) -> None:
        self.branch(p, yes, no, ", !prof !0")

    @contextmanager
    def in_cold_code(self) -> Generator[None]:
        """Code emitted in this scope does not dominate the code after it."""
        self.cold += 1
        yield
        self.cold -= 1

    def cold_block(self, p: str) -> AbstractContextManager[list[str]]:
        """Code for the rare case that `p` holds; returns [label before, label at the code's end] for phis."""
        return self.block_if(p, ", !prof !0")

    @contextmanager
    def exit_block(self, p: str) -> Generator[None]:
        """A block for code that leaves the function: it ends with a jump or a return."""
        yes, on = self.fresh(), self.fresh()
        self.unlikely(p, yes, on)
        self.start(yes)
        with self.in_cold_code():
            yield
        self.start(on)

    @contextmanager
    def block_if(self, p: str, weight: str = "") -> Generator[list[str]]:
        """Code for when `p` holds, which is as likely as not; returns what `cold_block` returns."""
        yes, on = self.fresh(), self.fresh()
        labels = [self.label]
        self.branch(p, yes, on, weight)
        self.start(yes)
        with self.in_cold_code():
            yield labels
        labels.append(self.label)
        self.jump(on)
        self.start(on)

    @contextmanager
    def loop(self, count: str | int) -> Generator[str]:
        """A body that runs for i (i64) from 0 to `count` - 1, at least once; returns i."""
        body, before = self.fresh(), self.label
        i, following, end = f"%i{body}", f"%n{body}", f"e{body}"
        self.jump(body)
        self.start(body)
        self.line(f"{i} = phi i64 [ 0, %{before} ], [ {following}, %{end} ]")
        yield i
        self.jump(end)
        self.start(end)
        self.line(f"{following} = add nuw i64 {i}, 1")
        done, on = self.emit(f"icmp eq i64 {following}, {count}"), self.fresh()
        self.branch(done, on, body)
        self.start(on)
