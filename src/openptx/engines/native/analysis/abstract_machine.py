"""The abstract machine: meanings on facts, which give what is known of an instruction's results before execution.

Integers go through the core operations that emission shares (transfer.py); a float operation gives a processor float,
of which only uniformity is known. This machine never claims more than emission delivers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from openptx.engines.native.analysis.accesses import OF_CTA, UNIFORM, Access, is_private, locate
from openptx.engines.native.analysis.affine import FOLD, UNKNOWN, Base, affine_of
from openptx.engines.native.analysis.capabilities import Conversion, Rounding, is_parameter
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.float_transfer import FloatTransfer, OutlinedCall
from openptx.engines.native.analysis.lane_patterns import (
    ALIKE,
    LOADED,
    VARYING,
    Pattern,
    alike,
    combined,
    common,
    pattern_of,
)
from openptx.engines.native.analysis.lattice import ZEROS, N, Value, as_lanes, collapse, is_finite
from openptx.engines.native.analysis.special_registers import SpecialRegisters
from openptx.engines.native.analysis.unsupported import InterpretInstruction, InterpretWithinCta, UnsupportedByJit
from openptx.isa.machine import Machine
from openptx.isa.semantics import tensor_memory
from openptx.isa.semantics.atomic_ops import FLOAT_SUMS, KEPT_BY_ZERO
from openptx.numerics import Bits, Format, Signedness

if TYPE_CHECKING:
    from openptx.isa.machine import Update, Word
    from openptx.isa.semantics.matrix.tensor_operations import TensorCopy, TensorProduct
    from openptx.numerics import Bits
    from openptx.numerics.dot import Tile
    from openptx.numerics.matrix_product import MatrixProduct

_widths: dict[object, int] = {}
"""The widths of the results of outlined definitions, by the `signature` of a call."""


class AbstractMachine(FloatTransfer):
    def __init__(self, context: FunctionContext) -> None:
        super().__init__()
        self.c, self.cpu = context, context.cpu
        self.mask = self.const(1, 1)
        self.site = 0
        self.stepping = False
        self.accesses: dict[int, Access] = {}
        self.touches: dict[int, str] = {}
        """See `Facts`."""
        self.touches_others: dict[int, str] = {}
        """The same of instructions that access memory which other CTAs can access."""
        self.patterns: dict[int, Pattern] = {}
        """Those of the addresses of accesses at a separate address per lane, by position."""
        self.may_leave: set[int] = set()
        """Positions where emission makes sure that base plus offset does not wrap."""
        self.has_tensor_memory = False
        """Whether an instruction touches tensor memory."""
        self._specials: dict[str, Bits] = {}
        self._special = SpecialRegisters(self, context, lambda _, t: self.unknown(int(t[1:]), pattern=ALIKE))

    def forget(self, pc: int) -> None:
        """Drops what was recorded of an operation at an earlier visit, when less was known about registers."""
        self.accesses.pop(pc, None)
        self.patterns.pop(pc, None)
        self.touches.pop(pc, None)
        self.touches_others.pop(pc, None)
        self.may_leave.discard(pc)

    def unknown(self, w: int, pattern: Pattern = VARYING, is_float: bool = False) -> Bits:
        """A value of which only its pattern is known, and whether a float operation produced it."""
        lanes = ZEROS if pattern == ALIKE else None
        v = Value("", lanes, raw=UNKNOWN) if is_float else Value(UNKNOWN, lanes)
        v.pattern = pattern
        return Bits(self, w, v)

    def pattern(self, a: Bits) -> Pattern:
        v = a.v
        if isinstance(v, int):
            return ALIKE
        lanes = v.lanes if isinstance(v, Value) else v
        if lanes is ZEROS:
            return ALIKE
        return pattern_of(lanes) if lanes is not None else v.pattern

    def lanewise(self, *operands: Bits) -> Pattern:
        """The pattern of what is computed of these lane by lane: uniform if they are."""
        found = ALIKE
        for a in operands:
            found = common(found, alike(self.pattern(a)))
        return found

    # Integers

    def guard(self, base: str, top: int, w: int, signed: bool) -> bool:
        assumes = self.c.options.lane_facts and not self.c.is_function
        if assumes:
            self.may_leave.add(self.site)
        return assumes

    def step(self, op: str, x: Base, y: Base, w: int) -> Base:
        if isinstance(x, int) and isinstance(y, int):
            return FOLD[op](x, y, w) & (1 << w) - 1
        return UNKNOWN

    def selected_base(self, p: Value, x: Base, y: Base, w: int) -> Base:
        return UNKNOWN

    def cast_base(self, op: str, name: str, old: int, w: int) -> str:
        return UNKNOWN

    def plain(self, name: str, a: Bits, b: Bits) -> Bits:
        known = b.v if isinstance(b.v, int) else None
        return self.unknown(a.width, combined(name, self.pattern(a), self.pattern(b), known))

    def plain_comparison(self, condition: str, a: Bits, b: Bits) -> Bits:
        return self.unknown(1, self.lanewise(a, b))

    def plain_select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        floats = [isinstance(e.v, Value) and bool(e.v.raw) for e in (a, b)]
        is_float = any(floats) and all(f or is_finite(e.v, e.width) for f, e in zip(floats, (a, b), strict=True))
        return self.unknown(a.width, self.lanewise(p, a, b), is_float)

    def plain_cast(self, op: str, a: Bits, w: int) -> Bits:
        return self.unknown(w, self.pattern(a) if w > 1 else self.lanewise(a))

    def wide_division(self, op: str, a: Bits, b: Bits) -> Bits:
        return self.unknown(a.width)

    def float_quotient(self, a: Bits, b: Bits) -> Bits:
        return self.unknown(a.width)

    def call(self, name: str, a: Bits, extra: str = "") -> Bits:
        return self.unknown(a.width, self.lanewise(a))

    def canonical_bits(self, a: Bits) -> Value:
        v = Value(UNKNOWN, a.v.lanes)
        v.pattern = a.v.pattern
        return v

    # Floats

    def call_definition(self, call: OutlinedCall, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Bits:
        key, operands = call
        if key not in _widths:
            outer, self.may_leave = self.may_leave, set()
            _widths[key] = getattr(Machine, str(key[0]))(self, *arguments, **keywords).width
            self.may_leave = outer
        return self.unknown(_widths[key], self.lanewise(*operands))

    def call_product(self, p: MatrixProduct, a: Sequence[Bits], b: Sequence[Bits], addends: Tile) -> Tile:
        return tuple(tuple(self.unknown(p.width) for _ in line) for line in addends)

    def float_operation(
        self, how: Rounding, op: str, f: Format, operands: tuple[Bits, ...], rnd: str, ftz: bool
    ) -> Bits:
        on_processor = how == "processor"
        return self.unknown(f.storage, self.lanewise(*operands) if on_processor else VARYING, is_float=on_processor)

    def table_element(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        return self.unknown(w, self.lanewise(index))

    def saturated(self, f: Format, a: Bits, v: Value) -> Bits:
        return self.unknown(f.storage, self.lanewise(a), is_float=True)

    def float_extreme(self, f: Format, operands: tuple[Bits, ...], largest: bool, nan: bool) -> Bits:
        return self.unknown(f.storage, self.lanewise(*operands), is_float=True)

    def float_comparison(self, condition: str, f: Format, a: Bits, b: Bits) -> Bits:
        return self.unknown(1, self.lanewise(a, b))

    def flush(self, f: Format, a: Bits, ftz: bool = True) -> Bits:
        if ftz and isinstance(a.v, Value) and a.v.raw and self.has(f):
            return self.unknown(a.width, self.lanewise(a), is_float=True)
        return super().flush(f, a, ftz)

    def converted(self, how: Conversion, d: Format, s: Format, a: Bits) -> Bits:
        return self.unknown(d.storage, self.lanewise(a), is_float=how == "float")

    def int_to_float(self, f: Format, t: Signedness, a: Bits) -> Bits:
        return self.unknown(f.storage, self.lanewise(a), is_float=True)

    def float_to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, w: int, ftz: bool) -> Bits:
        return self.unknown(w, self.lanewise(a))

    def float_integral(self, f: Format, a: Bits, rnd: str, ftz: bool) -> Bits:
        return self.unknown(f.storage, self.lanewise(a), is_float=True)

    # The warp and the thread

    def lane(self) -> Bits:
        return Bits(self, 32, tuple(range(N)))

    def active(self) -> Bits:
        return self.mask

    def ballot(self, p: Bits) -> Bits:
        if isinstance(p.v, int) and (not p.v or self.mask.v == 1):
            return self.const(-1 if p.v else 0, 32)
        return self.unknown(32, pattern=ALIKE)

    def shuffle(self, a: Bits, lane: Bits) -> Bits:
        if self.uniform(a):
            return a
        if isinstance(lane.v, Value) or isinstance(a.v, Value):
            return self.unknown(a.width, self.lanewise(lane), isinstance(a.v, Value) and bool(a.v.raw))
        values = as_lanes(a.v)
        return Bits(self, a.width, collapse(tuple(values[i & N - 1] for i in as_lanes(lane.v))))

    def inactive(self) -> Bits | None:
        return None if self.mask.v == 1 else self.unknown(32, pattern=ALIKE)

    def special(self, name: str, w: int) -> Bits:
        if name.startswith(("clock", "globaltimer")):
            return self.unknown(w, pattern=ALIKE)
        if name not in self._specials:
            self._specials[name] = self._special.read(name)
        return self.resize(self._specials[name], w)

    def require(self, p: Bits, code: str, message: str, value: Bits | None = None) -> None:
        pass

    # Memory

    @property
    def tensor_memory(self) -> TensorMemory:
        self.check_observed("tensor memory")
        self.has_tensor_memory = True
        return TensorMemory(self)

    def tensor_product(
        self, p: TensorProduct, define: Callable[..., None], zeros: Bits, code: Bits, *values: Bits
    ) -> None:
        self.check_observed("a product in tensor memory")
        self.has_tensor_memory = True
        self.touch_all()  # the interpreter may execute it

    def tensor_copy(self, p: TensorCopy, define: Callable[..., None], address: Bits, code: Bits) -> None:
        self.check_observed("a copy to tensor memory")
        self.has_tensor_memory = True
        self.touch_all()

    def touch_all(self) -> None:
        """The instruction's effects are unknown."""
        self.touches[self.site] = self.touches_others[self.site] = "atomic"

    def cases(self, a: Bits, step: Callable[..., None], *values: Bits) -> None:
        self.check_observed("steps that depend on a value")
        super().cases(a, step, *values)

    def check_observed(self, what: str) -> None:
        """Raises UnsupportedByJit if code is watched: observers of machine code would miss `what`. They see everything
        that the reference engine executes."""
        if self.c.options.watched:
            raise UnsupportedByJit(f"{what}, which is not watched")

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        self.touches.setdefault(self.site, "load")
        if space not in OF_CTA:
            self.touches_others.setdefault(self.site, "load")
        size = w * count // 8
        if space == "param" and isinstance(address.v, int):
            if is_parameter(self.c.function, address.v, size):
                places = range(address.v, address.v + size, w // 8)
                return tuple(self.come_from(self.unknown(w, pattern=ALIKE), self.origin(at, w)) for at in places)
            return tuple(self.unknown(w) for _ in range(count))
        region, place = self.access(space, address, size, False)
        uniform = region in UNIFORM and self.uniform(place) and not is_private(space, self.c.has_local)
        return tuple(self.unknown(w, ALIKE if uniform else LOADED) for _ in range(count))

    def origin(self, at: int, w: int) -> object:
        """The key under which addresses derived from a parameter are remembered."""
        return ("param", at, w) if w == 64 else None

    def access(self, space: str, address: Bits, size: int, write: bool) -> tuple[str, Bits]:
        region, place = locate(self, space, address, self.c.address_size, self.stepping)
        if region in UNIFORM and not self.stepping and has_offsets(place):
            self.accesses[self.site] = Access(region, size, write)
        elif not self.stepping:
            self.patterns[self.site] = self.pattern(place)
        return region, place

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        self.access(space, address, values[0].width * len(values) // 8, True)

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        reads = (
            (update in KEPT_BY_ZERO or update in FLOAT_SUMS) and isinstance(operands[0], Bits) and operands[0].v == 0
        )
        self.touches[self.site] = kind = "probe" if reads else "atomic"
        if space not in OF_CTA:
            self.touches_others[self.site] = kind
        locate(self, space, address, self.c.address_size, self.stepping)
        return self.unknown(min(w, 64)) if w <= 64 else (self.unknown(64), self.unknown(64))

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> None:
        pass

    def repeat(self, times: Bits, step: Callable[..., None], *values: Bits) -> None:
        own = [a if self.uniform(a) else self.unknown(a.width, pattern=ALIKE) for a in values]
        outer = self.mask, self.stepping
        self.mask, self.stepping = self.unknown(1), True
        try:
            step(self.unknown(32), *own)
        finally:
            self.mask, self.stepping = outer


def has_offsets(address: Bits) -> bool:
    """Whether an address is a base plus offsets in emission."""
    v = address.v
    return (isinstance(v, Value) and v.near is not None) or affine_of(v, 64) is not None


class TensorMemory(tensor_memory.TensorMemory):
    """Its contents are unknown."""

    def __init__(self, x: AbstractMachine) -> None:
        self.x = x

    def allocate(self, count: Bits, *, exclusively: bool = False) -> Bits:
        raise InterpretWithinCta("allocation of tensor memory")

    def free(self, address: Bits, count: Bits) -> None:
        raise InterpretWithinCta("allocation of tensor memory")

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        self.require_own_cta(rank)
        return tuple(self.x.unknown(32) for _ in range(count))

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        self.require_own_cta(rank)

    def require_own_cta(self, rank: Bits | None) -> None:
        if rank is not None:
            raise InterpretInstruction("tensor memory of another CTA")
