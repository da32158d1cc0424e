"""The common inputs of both kernels: one thread of one launch, parameters, memory, all of them symbols."""

from __future__ import annotations

from dataclasses import dataclass

import z3

from openptx.isa.address_windows import FIRST, SHIFT
from openptx.isa.special_registers import MULTIPROCESSORS, WARPS
from openptx.program import Function, Variable

AXES = "xyz"
MOST_THREADS = 1024
MOST = {"ntid": (1024, 1024, 64), "nctaid": (2**31 - 1, 65535, 65535)}
"""The maximum dynamic shared memory of a launch."""

LARGEST_ARRAY = 1 << 40
"""Bytes. No access is farther from the pointer that it derives from."""

ALIGNMENT = 256
"""The alignment of device memory in bytes."""


LARGEST_CLUSTER = 16
"""Blocks."""

USUAL = {"nwarpid": WARPS, "nsmid": MULTIPROCESSORS, "cluster_ctarank": 0}
"""Special registers that may have any value, the same in both kernels, and what they are on the reference engine."""


@dataclass(frozen=True, slots=True)
class Word:
    """A symbol among the parameters: `size` bytes at `offset` of the parameter buffer, all or a part of one."""

    name: str
    offset: int
    size: int
    term: z3.BitVecRef


class Inputs:
    """The symbols. Both executions read the same ones."""

    def __init__(self, function: Function) -> None:
        self.words = tuple(parameter_words(function))
        self.pointers = {word.term.get_id(): word for word in self.words if word.size == 8}
        """64-bit words by their term: an address derived from one is in the array that it points to."""
        self.initial = {
            word.name: z3.Array(f"memory of {word.name}", z3.BitVecSort(64), z3.BitVecSort(8))
            for word in self.pointers.values()
        }
        """The contents of arrays before the launch, bytes by offset."""
        self.specials = {
            f"{name}.{axis}": z3.BitVec(f"{name}.{axis}", 32)
            for name in ("tid", "ntid", "ctaid", "nctaid")
            for axis in AXES
        } | {name: z3.BitVec(name, 32) for name in USUAL}

    def constraints(self, functions: tuple[Function, Function], used: set[str]) -> list[z3.BoolRef]:
        """Conditions that hold in every launch. `used` are the names of words that are pointers."""
        found = list[z3.BoolRef]()
        s = self.specials
        for inner, outer in (("tid", "ntid"), ("ctaid", "nctaid")):
            for axis, most in zip(AXES, MOST[outer], strict=True):
                i, n = s[f"{inner}.{axis}"], s[f"{outer}.{axis}"]
                found += [z3.ULT(i, n), z3.ULE(n, most)]
        wide = [z3.ZeroExt(32, s[f"ntid.{axis}"]) for axis in AXES]
        threads = MOST_THREADS
        for function in functions:
            directives = function.directives
            if (required := directives.get("reqntid")) is not None:
                sizes = (*required, 1, 1)[:3]
                found += [s[f"ntid.{axis}"] == size for axis, size in zip(AXES, sizes, strict=True)]
            if (most := directives.get("maxntid")) is not None:
                product = 1
                for size in most:
                    product *= size
                threads = min(threads, product)
        found.append(z3.ULE(wide[0] * wide[1] * wide[2], threads))
        found.append(z3.ULT(s["cluster_ctarank"], LARGEST_CLUSTER))
        for word in self.pointers.values():
            if word.name in used:
                found += [z3.UGE(word.term, FIRST << SHIFT[64]), z3.ULT(word.term, 1 << 47)]
                found.append(word.term & ALIGNMENT - 1 == 0)
        return found

    def thread(self, name: str) -> z3.BitVecRef | None:
        """A special register of the thread, in 32 bits; None for those that are not inputs."""
        s = self.specials
        if name in s:
            return s[name]
        linear = (s["tid.z"] * s["ntid.y"] + s["tid.y"]) * s["ntid.x"] + s["tid.x"]
        bit = z3.BitVecVal(1, 32) << (linear & 31)
        return {
            "laneid": linear & 31,
            "warpid": z3.LShR(linear, z3.BitVecVal(5, 32)),
            "lanemask_eq": bit,
            "lanemask_lt": bit - 1,
            "lanemask_le": bit | bit - 1,
            "lanemask_gt": ~(bit | bit - 1),
            "lanemask_ge": ~(bit - 1),
        }.get(name)


def parameter_words(function: Function) -> list[Word]:
    """Parameters as words of 8 bytes at most: structures are several."""
    found = list[Word]()
    for p in function.parameters:
        assert isinstance(p, Variable)
        if p.size <= 8:
            found.append(Word(p.name, p.offset, p.size, z3.BitVec(f"param {p.offset}", 8 * p.size)))
            continue
        for at in range(0, p.size, 8):
            size = min(8, p.size - at)
            place = p.offset + at
            found.append(Word(f"{p.name}+{at}", place, size, z3.BitVec(f"param {place}", 8 * size)))
    return found
