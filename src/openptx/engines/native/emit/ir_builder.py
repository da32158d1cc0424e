"""Builds the text of one function of a kernel: its entry block, and masks of lanes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import NamedTuple

from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N
from openptx.llvm.builder import Builder

MASK = f"<{N} x i1>"
TRUE = "splat (i1 true)"
_KNOWN = {TRUE: "-1", "zeroinitializer": "0"}
STATE, DATA = ", !tbaa !5", ", !tbaa !6"
"""What an access refers to: the worker's state, or the kernel's memory. The two never alias."""


CONSTANT = ", !invariant.load !7"
"""Marks a load from memory that is never written."""
_BYTES, _OF_BYTES = [lane // 8 for lane in range(N)], f"<{N} x i8>"
_BITS = f"<{', '.join(f'i8 {1 << lane % 8}' for lane in range(N))}>"

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


class Spread(NamedTuple):
    """Where 64 bits per lane come from: a scalar ("": 0) plus 32 bits per lane, extended and shifted left."""

    base: str
    narrow: str
    signed: bool
    shift: int = 0


class IRBuilder(Builder):
    """Also builds an entry block, which computes values once for a launch, a CTA or a warp."""

    def __init__(self) -> None:
        super().__init__()
        self._entry: list[tuple[Section, str]] = []  # the entry block, which dominates all other blocks
        self.of_launch: dict[str, str] = {}  # values that are computed once per launch, and their operands' names
        self.own_suffix = ""
        self.has_mask_registers = True
        self.live_is_word = False
        self.slots_stay = False  # in memory; usually they become SSA values
        self.masks_stay = False  # the same of masks, which are words then
        self.words: dict[str, str] = {}  # of which masks were made (`mask_of`)
        self.inverted: dict[str, str] = {}  # masks of which others are the complements
        self.in_frame = {"%base": 0}  # offsets in local memory: how far from the beginning of the function's frame
        self.narrowed: dict[str, str] = {}  # vectors of 32 bits, by the names of their lower bits
        self.widened: dict[str, str] = {}  # vectors of 32 bits, by the names of their zero extensions to 64
        self.spread: dict[str, Spread] = {}  # of vectors of 64 bits, by name
        self.displaced: dict[str, tuple[Spread, int]] = {}  # the same of those a number beyond one with a base
        self.masked: set[str] = set()  # names of results of an `and` with constants (`IntOps.fenced`)

    def own(self, name: str) -> str:
        """The name of what each of two warps that run at once has of its own (`WarpPairs`)."""
        return name + self.own_suffix

    def first(self, text: str, section: Section = Section.LAUNCH) -> str:
        """Emits a line in the entry block and returns its name."""
        self.count += 1
        name = f"%v{self.count}"
        self._entry.append((section, f"{name} = {text}"))
        if section == Section.LAUNCH:
            self.of_launch[name] = name
        return name

    def first_line(self, text: str) -> None:
        """Emits a line without a result in the entry block."""
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

    def masked_store(self, t: str, suffix: str, value: str, place: str, align: int, mask: str, tag: str = "") -> None:
        count = suffix.partition("i")[0][1:]
        self.line(
            f"call void @llvm.masked.store.{suffix}.p0({t} {value}, ptr align {align} {place}, <{count} x i1> {mask})"
            + tag
        )

    def load_mask(self, place: str) -> str:
        return self.load_saved(MASK, place, 4) if self.masks_stay else self.load_slot(MASK, place)

    def load_slot(self, t: str, place: str) -> str:
        """A value in a stack slot."""
        return self.load_saved(t, place, 4) if self.slots_stay else self.load(t, place, 4)

    def store_mask(self, mask: str, place: str) -> None:
        if self.masks_stay:
            self.store_saved(MASK, mask, place, 4)
        else:
            self.store(MASK, mask, place, 4)

    def load_word(self, place: str) -> str:
        """A mask in a stack slot as an i32. A slot that stays in memory is not expanded first, by four instructions of
        a thousand characters."""
        stays = self.slots_stay or self.masks_stay
        return self.load(f"i{N}", place, 4) if stays else self.mask_bits(self.load_mask(place))

    def load_union(self, places: Sequence[str]) -> str:
        """The lanes of any of some masks in stack slots, as an i32."""
        t = f"i{N}" if self.slots_stay else MASK
        union, *others = [self.load(t, place, 4) for place in places]
        for other in others:
            union = self.emit(f"or {t} {union}, {other}")
        return union if self.slots_stay else self.mask_bits(union)

    def mask_bits(self, mask: str) -> str:
        """A mask as an i32."""
        return self.words.get(mask) or self.emit(f"bitcast {MASK} {mask} to i{N}")

    def by_words(self, op: str, a: str, b: str) -> str:
        """An operation on two masks of which the i32 are known, so that only those are computed if nothing needs the
        masks; "" if they are not known."""
        words = [_KNOWN.get(mask) or self.words.get(mask) for mask in (a, b)]
        if self.has_mask_registers or None in words:
            return ""
        if op == "xor" and b == TRUE and a in self.inverted:
            return self.inverted[a]
        found = self.mask_of(self.emit(f"{op} i{N} {words[0]}, {words[1]}"))
        if op == "xor" and b == TRUE:
            self.inverted[found] = a
        return found

    def mask_of(self, word: str) -> str:
        """The lanes whose bits are set in an i32. Without mask registers, LLVM would take them one by one, by a
        hundred instructions."""
        if self.has_mask_registers:
            return self.emit(f"bitcast i{N} {word} to {MASK}")
        of_lanes = self.shuffle("<4 x i8>", self.emit(f"bitcast i{N} {word} to <4 x i8>"), "poison", _BYTES)
        own = self.emit(f"and {_OF_BYTES} {of_lanes}, {_BITS}")
        found = self.emit(f"icmp eq {_OF_BYTES} {own}, {_BITS}")
        self.words[found] = word
        return found

    def load_saved(self, t: str, place: str, align: int) -> str:
        """A value that is in memory, not in a stack slot that becomes a register."""
        if t != MASK or self.has_mask_registers:
            return self.load(t, place, align)
        return self.mask_of(self.load(f"i{N}", place, align))

    def store_saved(self, t: str, value: str, place: str, align: int) -> None:
        word = self.words.get(value)
        self.store(f"i{N}" if word else t, word or value, place, align)

    @property
    def live_type(self) -> str:
        """How the warp's lanes are kept."""
        return f"i{N}" if self.live_is_word else MASK

    def load_live(self) -> str:
        """The lanes that the warp has."""
        place = self.own("%live")
        return self.load_saved(MASK, place, 4) if self.live_is_word else self.load_mask(place)

    def store_live(self, mask: str) -> None:
        self.store(self.live_type, self.mask_bits(mask) if self.live_is_word else mask, self.own("%live"), 4)

    def end_live(self, mask: str) -> None:
        """The warp no longer has the lanes of a mask."""
        t, ones = (f"i{N}", "-1") if self.live_is_word else (MASK, "splat (i1 true)")
        live = self.load(t, self.own("%live"), 4)
        left = self.emit(f"xor {t} {self.mask_bits(mask) if self.live_is_word else mask}, {ones}")
        self.store(t, self.emit(f"and {t} {live}, {left}"), self.own("%live"), 4)

    def is_some(self, word: str) -> str:
        """Whether a mask names any lane."""
        return self.emit(f"icmp ne i{N} {word}, 0")
