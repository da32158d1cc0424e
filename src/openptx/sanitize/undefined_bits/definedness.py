"""The machine that tracks undefined bits through every primitive, and so through all meanings.

Integer operations, selection, shifts, changes of width and exchanges between lanes are exact; a result of float
arithmetic, division and tables is undefined if any bit of an operand is; of a matrix product, if any bit of its row,
column or addend is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from openptx.array_types import Array
from openptx.engines.interp.machine import Threads
from openptx.numerics import Arithmetic, Bits
from openptx.sanitize.numbered import NumberedThreads
from openptx.sanitize.races.semantics import SHUFFLES, VOTES
from openptx.sanitize.undefined_bits.masked import (
    EVERYTHING,
    NO_TERM,
    NOTHING,
    RULES,
    Masked,
    Use,
    is_masked,
    mask,
    masked_in,
    plain,
    terms,
    terms_of_sum,
    use_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.numerics.dot import Tile
    from openptx.numerics.matrix_product import MatrixProduct
    from openptx.program import Op


class Definedness(NumberedThreads):
    """Lanes whose values may be `Masked`."""

    _terms = 0

    # Events.

    def votes(self, p: Masked) -> None:
        """A predicate of the executing lanes counts in a vote."""
        raise NotImplementedError

    def shuffles_absent(self) -> None:
        """A lane takes the value of one that does not take part in a shuffle."""
        raise NotImplementedError

    def marked(
        self,
        d: Bits,
        undefined: Array,
        *operands: Any,
        use: Use = Use.MOVED,
        origin: Op | None = None,
        terms: Array | None = None,
    ) -> Bits:
        """A result, with its undefined bits if there are any."""
        if not undefined.any():
            return d
        masked = masked_in(operands)
        origin = origin or next((b.origin for b in masked if b.origin is not None), None)
        return Masked(self, d.width, d.v, undefined, origin, max([use, *(b.use for b in masked)]), terms)

    def new_terms(self) -> Array:
        """A new number for each lane."""
        self._terms += self.n
        return np.arange(self._terms - self.n + 1, self._terms + 1)

    # The core.

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        d = super().binary(op, a, b)
        if not is_masked(a, b):
            return d
        rule = RULES.get(op)
        if rule is not None:
            undefined = rule(a.v, b.v, mask(a), mask(b))
        else:
            moved = super().binary(op, Bits(self, a.width, np.broadcast_to(mask(a), a.v.shape)), plain(b)).v
            unknown = mask(b) != 0
            undefined = np.where(unknown, EVERYTHING[a.width], moved) if unknown.any() else moved
        sums = None
        if op in ("add", "sub") and a.width > 1:
            cancels, sums = terms_of_sum(op, a, b)
            undefined = np.where(cancels, NOTHING[a.width], undefined)
        return self.marked(d, undefined, a, b, use=use_of(op, a, b), terms=sums)

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        d = super().select(p, a, b)
        if not is_masked(p, a, b):
            return d
        undefined, use = np.where(p.v, mask(a), mask(b)), Use.MOVED
        if isinstance(p, Masked):
            undefined = np.where(p.undefined, mask(a) | mask(b) | (a.v ^ b.v), undefined)
            use = Use.CHOSEN if (p.undefined & (undefined != 0)).any() else use
        chosen = None if isinstance(p, Masked) else np.where(p.v, terms(a), terms(b))
        return self.marked(d, undefined, a, b, p, use=use, terms=chosen)

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        d = super().resize(a, w, signed)
        if not isinstance(a, Masked) or d is a:
            return d
        return self.marked(d, super().resize(Bits(self, a.width, a.undefined), w, signed).v, a)

    def invert(self, a: Bits) -> Bits:
        d = super().invert(a)
        return self.marked(d, a.undefined, a) if isinstance(a, Masked) else d

    def unequal(self, a: Bits, b: Bits) -> Bits:
        d = super().unequal(a, b)
        return self.marked(d, RULES["eq"](a.v, b.v, mask(a), mask(b)), a, b) if is_masked(a, b) else d

    def at_most(self, a: Bits, b: Bits) -> Bits:
        d = super().at_most(a, b)
        return self.marked(d, RULES["ult"](b.v, a.v, mask(b), mask(a)), a, b) if is_masked(a, b) else d

    def amount(self, n: Bits | int, w: int) -> Bits:
        d = super().amount(n, w)
        if not isinstance(n, Masked) or d is n:
            return d
        return self.marked(d, np.where(n.undefined != 0, EVERYTHING[w], NOTHING[w]), n)

    def negative(self, a: Bits) -> Bits:
        d = super().negative(a)
        if not isinstance(a, Masked):
            return d
        top = a.undefined if a.width == 1 else (a.undefined >> a.undefined.dtype.type(a.width - 1)).astype(bool)
        return self.marked(d, top, a)

    def picked(self, columns: Tile, w: int, places: Sequence[Bits], chunk: int) -> Tile:
        return Arithmetic.picked(self, columns, w, places, chunk)

    # Matrices: the definition by single operations, which track undefined bits.

    def matrix_product(
        self, p: MatrixProduct, a: Sequence[Bits], b: Sequence[Bits], addends: Tile, by_lanes: Callable[[], Tile]
    ) -> Tile:
        if is_masked(*a, *b, *(c for line in addends for c in line)):
            return by_lanes()
        return super().matrix_product(p, a, b, addends, by_lanes)

    # The warp.

    def shuffle(self, a: Bits, lane: Bits) -> Bits:
        d = super().shuffle(a, lane)
        undefined = mask(a)
        if undefined.size > 1 or (undefined.any() and a.v.size > 1):
            undefined = super().shuffle(Bits(self, a.width, np.broadcast_to(undefined, a.v.shape)), lane).v
        if isinstance(lane, Masked):
            undefined = np.where(lane.undefined != 0, EVERYTHING[a.width], undefined)
        absent = self.absent(lane)
        origin, taken = None, None
        if terms(a).size > 1 and not isinstance(lane, Masked):
            taken = super().shuffle(Bits(self, 64, terms(a).astype(np.uint64)), lane).v.astype(np.int64)
        if absent is not None:
            undefined, origin = np.where(absent, EVERYTHING[a.width], undefined), self.op
            taken = None if taken is None else np.where(absent, NO_TERM, taken)
        return self.marked(d, undefined, a, lane, origin=origin, terms=taken) if undefined.any() else d

    def inactive(self) -> Bits | None:
        """None: what inactive lanes give is undefined (see `absent`), not 0."""
        return None

    def absent(self, lane: Bits) -> Array | None:
        """The lanes that take the value of a lane that does not take part in a shuffle; None if there are none."""
        if self.op.form.instruction not in SHUFFLES:
            return None
        active = super().ballot(self.const(1, 1)).v & self.members
        bad = (active >> (lane.v & np.uint32(31)) & np.uint32(1)) == 0
        if not bad.any():
            return None
        self.shuffles_absent()
        return bad

    def ballot(self, p: Bits) -> Bits:
        d = super().ballot(p)
        if not isinstance(p, Masked):
            return d
        if self.op.form.instruction in VOTES:
            self.votes(p)
        return self.marked(d, super().ballot(Bits(self, 1, p.undefined)).v, p)


def spread_undefined(name: str) -> Callable[..., Any]:
    """A method whose results are undefined in lanes in which any bit of any operand is."""
    inherited = getattr(Threads, name)

    def method(self: Definedness, *args: Any, **options: Any) -> Any:
        masked = masked_in(args)
        if not masked:
            return inherited(self, *args, **options)
        found = inherited(self, *[plain(a) for a in args], **options)
        return tainted(self, found, any_undefined(masked), masked)

    return method


def any_undefined(masked: list[Masked]) -> Array:
    bad = masked[0].undefined != 0
    for b in masked[1:]:
        bad = bad | (b.undefined != 0)
    return bad


def spread_by_lines(name: str, first: int) -> Callable[..., Tile]:
    """A product of rows, columns and addends, which begin with the operand `first`: an element depends on its own row,
    column and addend, and on the other operands."""
    inherited = getattr(Threads, name)

    def method(self: Definedness, *args: Any, **options: Any) -> Tile:
        if not masked_in(args):
            return inherited(self, *args, **options)
        found: Tile = inherited(self, *[plain(a) for a in args], **options)
        rows, columns, addends = args[first : first + 3]
        others = args[:first] + args[first + 3 :]

        def element(i: int, j: int) -> Bits:
            masked = masked_in((rows[i], columns[j], addends[i][j], *others))
            return tainted(self, found[i][j], any_undefined(masked), masked) if masked else found[i][j]

        return tuple(tuple(element(i, j) for j in range(len(line))) for i, line in enumerate(found))

    return method


def tainted(x: Definedness, found: Any, bad: Array, masked: list[Masked]) -> Any:
    """A result, or a tuple of them, undefined in the lanes `bad`."""
    if isinstance(found, Bits):
        return x.marked(found, np.where(bad, EVERYTHING[found.width], NOTHING[found.width]), *masked, use=Use.COMPUTED)
    if isinstance(found, tuple):
        return tuple([tainted(x, part, bad, masked) for part in cast("tuple[Any, ...]", found)])
    return found


# fmt: off
SPREADING = (
    "abs", "approx", "approx_div", "clz", "convert", "divide", "extreme", "fadd", "fdiv", "fequal", "finite", "fless",
    "flush", "fma", "fmax", "fmin", "fmul", "from_int", "fsqrt", "fsub", "fsubr", "integral", "isnan", "lookup", "max",
    "min", "mufu", "mulhi", "popc", "relu", "remainder", "saturate", "testp", "to_int", "unordered",
)
# fmt: on
for _name in SPREADING:
    setattr(Definedness, _name, spread_undefined(_name))
for _name, _first in (("bit_dots", 1), ("block_dots", 0), ("dots", 2), ("fma_dots", 0), ("integer_dots", 2)):
    setattr(Definedness, _name, spread_by_lines(_name, _first))
