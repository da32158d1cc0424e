"""Memory of the symbolic machine: a list of stores in order, each with the condition of its path.

Every array that a pointer parameter points to is a separate region: distinct parameters never overlap. A load goes
through the stores of its region, oldest first. Mutually exclusive paths do not see each other's stores, so memory
states are never merged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import z3

from openptx.isa.address_windows import LOCAL, PARAM, SHARED, SHIFT
from openptx.prove.terms import Term, same, simplify, vector
from openptx.prove.unprovable import Unprovable

if TYPE_CHECKING:
    from openptx.prove.inputs import Inputs
    from openptx.prove.paths import Path

STACK = "local memory"
"""The thread's private region. Its offsets count from the start of local memory."""


@dataclass(frozen=True, slots=True)
class Access:
    """`size` bytes at `offset` (64 bits) of a region; `value` is the stored value, None for a load. The offset of the
    first element of a vector is a multiple of the whole vector's size, which is its `alignment` in bytes."""

    path: Path
    region: str
    offset: Term
    size: int
    value: Term | None
    alignment: int

    def at(self) -> z3.BitVecRef:
        return vector(self.offset, 64)

    def stored_bits(self) -> z3.BitVecRef:
        assert self.value is not None
        return vector(self.value, 8 * self.size)


class Regions:
    """The memory effects of one execution."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.accesses = list[Access]()
        self._stores: dict[str, list[Access]] = {}

    def stores(self, region: str) -> list[Access]:
        return self._stores.get(region, [])

    def modified_regions(self) -> set[str]:
        """The regions that the launch modifies."""
        return set(self._stores) - {STACK}

    def store(self, path: Path, region: str, offset: Term, size: int, value: Term, alignment: int) -> None:
        found = Access(path, region, offset, size, simplify(value), alignment)
        self.accesses.append(found)
        self._stores.setdefault(region, []).append(found)

    def load(self, path: Path, region: str, offset: Term, size: int, alignment: int) -> Term:
        self.accesses.append(Access(path, region, offset, size, None, alignment))
        return self.value(path, region, offset, size)

    def value(self, path: Path, region: str, offset: Term, size: int) -> Term:
        """The value of `size` bytes after the stores so far, on a `path`."""
        found = self.fresh(region, offset, size)
        for store in self.stores(region):
            if not store.path.excludes(path):
                found = self.after(found, store, path, offset, size)
        return simplify(found)

    def fresh(self, region: str, offset: Term, size: int) -> Term:
        """Their value before the launch; local memory is zero, as in the reference engine."""
        if region == STACK:
            return 0
        memory, start = self.inputs.initial[region], vector(offset, 64)
        places = [z3.Select(memory, start + i if i else start) for i in reversed(range(size))]
        return places[0] if size == 1 else z3.Concat(*places)

    def after(self, before: Term, store: Access, path: Path, offset: Term, size: int) -> Term:
        """`before`, after a store."""
        w, always = 8 * size, path.implies(store.path)
        apart = simplify(vector(offset, 64) - store.at())
        if isinstance(apart, int):
            apart = apart - (1 << 64) if apart >> 63 else apart
            if apart >= store.size or apart <= -size:
                return before
            new = store.value if apart == 0 and size == store.size else bytewise(before, store, apart, size)
            return new if always else z3.If(store.path.condition(), vector(new, w), vector(before, w))
        if size == store.size:  # both are aligned to it
            hit = apart == 0
            new = store.stored_bits()
            return z3.If(hit if always else z3.And(store.path.condition(), hit), new, vector(before, w))
        parts = list[z3.BitVecRef]()
        whole, value = vector(before, w), store.stored_bits()
        for i in reversed(range(size)):
            byte = z3.Extract(8 * i + 7, 8 * i, whole)
            for j in range(store.size):
                hit = apart + i == j
                new = z3.Extract(8 * j + 7, 8 * j, value)
                byte = z3.If(hit if always else z3.And(store.path.condition(), hit), new, byte)
            parts.append(byte)
        return parts[0] if size == 1 else z3.Concat(*parts)


def bytewise(before: Term, store: Access, apart: int, size: int) -> z3.BitVecRef:
    """Some bytes from the store, the others as before; the first byte is `apart` bytes after the store's start."""
    old, new = vector(before, 8 * size), store.stored_bits()
    parts = list[z3.BitVecRef]()
    for i in reversed(range(size)):
        j = apart + i
        inside = 0 <= j < store.size
        parts.append(z3.Extract(8 * j + 7, 8 * j, new) if inside else z3.Extract(8 * i + 7, 8 * i, old))
    return parts[0] if size == 1 else z3.Concat(*parts)


# Addresses.


def places(inputs: Inputs, path: Path, space: str, address: Term) -> list[tuple[Path, str, Term]]:
    """The regions that an address may be in, each with the path and the offset. A choice between pointers gives
    several. Raises Unprovable if the pointer of an address is not known."""
    address = simplify(address)
    if space in ("local", "frame"):
        return [(path, STACK, address)]
    if isinstance(address, int):
        return [(path, *window_of(address, space))]
    terms = summands(address)
    bases = [inputs.pointers[t.get_id()] for t in terms if t.get_id() in inputs.pointers]
    if len(bases) == 1:
        return [(path, bases[0].name, simplify(address - bases[0].term))]
    if bases:
        names = " and ".join(f"`{base.name}`" for base in bases)
        raise Unprovable("address", f"the sum of the 64-bit parameters {names}: which one is the pointer?")
    if (choice := split(address)) is not None:
        p, a, b = choice
        found = list[tuple["Path", str, Term]]()
        for positive, part in ((True, a), (False, b)):
            if (way := path.extended(p, positive)) is not None:
                found += places(inputs, way, space, part)
        return found
    number = sum(known_bits(t) for t in terms)
    if number >> SHIFT[64] == LOCAL:
        return [(path, STACK, simplify(address - (LOCAL << SHIFT[64])))]
    raise Unprovable("address", f"in `.{space}`: {str(address)[:120]}")


def window_of(address: int, space: str) -> tuple[str, int]:
    """The region of an address that is a number. Raises Unprovable for shared memory, parameters, and addresses that
    nothing has."""
    slot, offset = address >> SHIFT[64], address & (1 << SHIFT[64]) - 1
    if space == "generic" and slot == LOCAL:
        return STACK, offset
    if slot == SHARED:
        raise Unprovable("shared-memory")
    if slot == PARAM:
        raise Unprovable("address", "a generic address of a parameter")
    raise Unprovable("address", f"the number {address:#x} in `.{space}`")


def summands(term: z3.BitVecRef) -> list[z3.BitVecRef]:
    if term.decl().kind() == z3.Z3_OP_BADD:
        return [leaf for part in term.children() for leaf in summands(part)]
    return [term]


def known_bits(term: Any) -> int:
    """The value of a number, or of the number that is the upper part of a term: z3 simplifies the sum of an address and
    an offset without a common bit, such as that of `array[i & 7]`, to a concatenation."""
    if z3.is_bv_value(term):
        return term.as_long()
    upper = term.arg(0) if term.decl().kind() == z3.Z3_OP_CONCAT else term
    return upper.as_long() << term.size() - upper.size() if z3.is_bv_value(upper) else 0


def split(address: z3.BitVecRef) -> tuple[z3.BoolRef, z3.BitVecRef, z3.BitVecRef] | None:
    """Moves a choice among the summands to a choice between addresses."""
    terms = summands(address)
    for i, term in enumerate(terms):
        if term.decl().kind() == z3.Z3_OP_ITE:
            rest = sum([other for j, other in enumerate(terms) if j != i], z3.BitVecVal(0, 64))
            p, a, b = term.children()
            return p, z3.simplify(rest + a), z3.simplify(rest + b)
    return None


def identical(a: Access, b: Access) -> bool:
    """Whether two stores are the same, term by term."""
    return (
        (a.region, a.size) == (b.region, b.size)
        and a.path.literals.keys() == b.path.literals.keys()
        and same(a.offset, b.offset)
        and same(a.value, b.value)
    )
