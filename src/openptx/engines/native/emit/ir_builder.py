"""Builds the text of one LLVM function: lines, names, labels, and cold blocks."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from enum import IntEnum
from typing import NamedTuple

from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N

MASK = f"<{N} x i1>"
STATE, DATA = ", !tbaa !5", ", !tbaa !6"
"""What an access refers to: the worker's state, or the kernel's memory. The two never alias."""


CONSTANT = ", !invariant.load !7"
"""Marks a load from memory that is never written."""

FLOAT = {16: "half", 32: "float", 64: "double"}
"""LLVM's names, by width."""


class LaneType(NamedTuple):
    width: int
    uniform: bool

    def of(self, element: str) -> str:
        return element if self.uniform else f"<{N} x {element}>"

    @property
    def int(self) -> str:
        return self.of(f"i{self.width}")

    @property
    def float(self) -> str:
        return self.of(FLOAT[self.width])

    @property
    def predicate(self) -> str:
        return self.of("i1")

    @property
    def int_suffix(self) -> str:
        """The suffix of overloaded intrinsics."""
        return f"i{self.width}" if self.uniform else f"v{N}i{self.width}"

    @property
    def float_suffix(self) -> str:
        return f"f{self.width}" if self.uniform else f"v{N}f{self.width}"

    @property
    def lanes(self) -> Lanes | None:
        """The offsets of a value's lanes: none, or unknown."""
        return ZEROS if self.uniform else None


class Section(IntEnum):
    """How often a line of the entry block has to run. A line may use values of its own section and of earlier ones."""

    LAUNCH = 0
    CTA = 1
    WARP = 2


class IRBuilder:
    """Lines of the function's body. Names are `%v1`, `%v2`...; labels `b1`, `b2`..."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._entry: list[tuple[Section, str]] = []  # the entry block, which dominates all other blocks
        self.of_launch: dict[str, str] = {}  # values that are computed once per launch, and their operands' names
        self.label = "entry"
        self.own_suffix = ""
        self.count = 0
        self.cold = 0  # above 0 in blocks that do not dominate the code after them: their values must not be remembered
        self.in_frame = {"%base": 0}  # offsets in local memory: how far from the beginning of the function's frame
        self.widened: dict[str, str] = {}  # vectors of 32 bits, by the names of their zero extensions to 64
        self.masked: set[str] = set()  # names of results of an `and` with constants (`IntOps.fenced`)

    # Lines

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def own(self, name: str) -> str:
        """The name of what each of two warps that run at once has of its own (`WarpPairs`)."""
        return name + self.own_suffix

    def emit(self, text: str) -> str:
        """A line `%v1 = text`; returns the name."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        return name

    def line(self, text: str) -> None:
        self.lines.append(text)

    def first(self, text: str, section: Section = Section.LAUNCH) -> str:
        """Emits a line in the entry block and returns its name."""
        self.count += 1
        name = f"%v{self.count}"
        self._entry.append((section, f"{name} = {text}"))
        if section == Section.LAUNCH:
            self.of_launch[name] = name
        return name

    def first_line(self, text: str) -> None:
        """The same for a line without a result."""
        self._entry.append((Section.LAUNCH, text))

    @contextmanager
    def at_entry(self, section: Section = Section.LAUNCH) -> Generator[None]:
        """Lines emitted in this scope go to the entry block."""
        outer, self.lines = self.lines, []
        self.cold += 1
        yield
        self.cold -= 1
        self._entry += [(section, line) for line in self.lines]
        if section == Section.LAUNCH:
            self.of_launch.update((name, name) for name in [line.split(" ", 1)[0] for line in self.lines])
        self.lines = outer

    def entry_lines(self, *sections: Section) -> list[str]:
        """The lines of some sections of the entry block; of all sections if none is named."""
        return [line for section, line in self._entry if not sections or section in sections]

    # Instructions

    def field(self, base: str, offset: int) -> str:
        """The address `offset` bytes after a pointer."""
        return self.emit(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, t: str, place: str, align: int, tag: str = "") -> str:
        return self.emit(f"load {t}, ptr {place}, align {align}{tag}")

    def store(self, t: str, value: str | int, place: str, align: int, tag: str = "") -> None:
        self.lines.append(f"store {t} {value}, ptr {place}, align {align}{tag}")

    def masked_store(self, t: str, suffix: str, value: str, place: str, align: int, mask: str, tag: str = "") -> None:
        count = suffix.partition("i")[0][1:]
        self.line(
            f"call void @llvm.masked.store.{suffix}.p0({t} {value}, ptr align {align} {place}, <{count} x i1> {mask})"
            + tag
        )

    def load_mask(self, place: str) -> str:
        return self.load(MASK, place, 4)

    def store_mask(self, mask: str, place: str) -> None:
        self.store(MASK, mask, place, 4)

    def mask_bits(self, mask: str) -> str:
        """A mask as an i32."""
        return self.emit(f"bitcast {MASK} {mask} to i{N}")

    def is_some(self, word: str) -> str:
        """Whether a mask names any lane."""
        return self.emit(f"icmp ne i{N} {word}, 0")

    def shuffle(self, t: str, a: str, b: str, order: Iterable[int | None]) -> str:
        """Elements of two vectors; None: any value."""
        chosen = [f"i32 {'poison' if i is None else i}" for i in order]
        return self.emit(f"shufflevector {t} {a}, {t} {b}, <{len(chosen)} x i32> <{', '.join(chosen)}>")

    def joined(self, element: str, n: int, parts: list[str]) -> str:
        """Concatenates vectors of `n` elements; their number is a power of two."""
        while len(parts) > 1:
            t = f"<{n} x {element}>"
            parts = [self.shuffle(t, a, b, range(2 * n)) for a, b in zip(parts[::2], parts[1::2], strict=True)]
            n *= 2
        return parts[0]

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
