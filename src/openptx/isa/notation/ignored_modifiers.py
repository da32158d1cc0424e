"""Modifiers that the assembler ignores where an instruction does not have them (measured with ptxas 13.5.37)."""

from __future__ import annotations

from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from openptx.isa.notation.forms import Form

ONE_OF = (
    frozenset(("finite", "infinite", "normal", "notanumber", "number", "subnormal")),  # of testp
    frozenset((  # of tensormap.replace
        "box_dim", "element_stride", "elemtype", "fill_mode", "global_address", "global_dim", "global_stride",
        "interleave_layout", "rank", "swizzle_atomicity", "swizzle_mode",
    )),
    frozenset(("acc::f16", "acc::f32")),  # of multimem.ld_reduce
)  # fmt: skip
"""Groups of modifiers; an opcode may contain one of each group."""
FORMATS = frozenset(("b8x16", "b4x16_p64", "b6x16_p32"))  # of ldmatrix and tcgen05.cp
REFERENCES = frozenset(("pred", "texref", "samplerref", "surfref"))
PAIRS_OF_BITS = frozenset(("b2",))
FRAGMENTS = frozenset(("b1", "b2", "b4", "u2", "u4", "s2", "s4", "bf16", "bf16x2", "tf32"))
_EXCLUSIVE = frozenset(("bf16", "tf32", "b1"))
_GROUPED = frozenset[str]().union(*ONE_OF)

_GATED_BY_TYPE = frozenset((
    "abs", "add", "atom", "cos", "cvt", "ex2", "fma", "lg2", "max", "min", "mul", "multimem", "neg", "rcp", "red",
    "rsqrt", "set", "setp", "sin", "sqrt", "sub", "tanh",
))  # fmt: skip
"""Mnemonics whose types the assembler gates one by one. In their opcodes it ignores REFERENCES, in others
PAIRS_OF_BITS."""
_ALSO_GATED = (
    "ldmatrix.", "wmma.mma.", "wgmma.mma_async.", "cp.reduce.async.bulk.", "tcgen05.ld.spcompress.",
    "tcgen05.ld.red.spcompress.",
)  # fmt: skip
"""Beginnings of opcodes with other mnemonics that are treated in the same way."""
_OTHERS = ("mul.lo.", "mul.hi.", "mul.wide.", "red.async.", "multimem.cp.async.", "cp.reduce.async.bulk.tensor.")
"""Beginnings of opcodes with those mnemonics that are treated like all others."""
_TYPES_OF_MMA = 4
_SMALL_SHAPES = frozenset(("m8n8k32", "m8n8k128"))


class OverlookedModifiers:
    """Modifiers that the assembler ignores in opcodes that begin with `path`: at most `most` of them, if the file meets
    `gate`."""

    __slots__ = ("gate", "modifiers", "most", "path")

    def __init__(self, path: str, modifiers: str, most: int, gate: str = "") -> None:
        self.path, self.modifiers, self.most, self.gate = path, frozenset(modifiers.split()), most, gate


_RESTRICTED = "sync_restrict::shared::cta sync_restrict::shared::cluster"
_SPACES = "global shared shared::cta shared::cluster"
_SCOPES = "cta cluster gpu sys"
# fmt: off
OVERLOOKED = (
    #          opcode                                   modifiers              most  since
    OverlookedModifiers("bar.sync",                                      "any all",     1, "PTX 6.0, sm_30"),
    OverlookedModifiers("bar.any.sync",                                  "any",         1, "PTX 6.0, sm_30"),
    OverlookedModifiers("bar.arrive",                                    "any",         1, "PTX 6.0, sm_30"),
    OverlookedModifiers("bar.red",                                       "any",         1, "PTX 6.0, sm_30"),
    OverlookedModifiers("tex",                                           "uni",         9),
    OverlookedModifiers("tld4",                                          "uni",         9),
    OverlookedModifiers("ldmatrix",                                      "row col",     2),
    OverlookedModifiers("stmatrix",                                      "row col",     2),
    OverlookedModifiers("movmatrix",                                     "row col",     2),
    OverlookedModifiers("fence",                                         "async",       1, "PTX 8.0, sm_90"),
    OverlookedModifiers("fence.proxy",                                   _RESTRICTED,   1, "PTX 8.6, sm_90"),
    OverlookedModifiers("fence.proxy.async::generic",                    "",            0),
    OverlookedModifiers("fence.proxy.tensormap::generic.acquire",        "",            0),
    OverlookedModifiers("fence.proxy.tensormap::generic.release",        _RESTRICTED,   1, "PTX 8.6, sm_90"),
    OverlookedModifiers("fence.proxy.tensormap::generic.release",        _SPACES,       1),
    OverlookedModifiers("cp.async.bulk.tensor",                          _SCOPES,       1),
    OverlookedModifiers("cp.reduce.async.bulk.tensor",                   _SCOPES,       1),
)
# fmt: on
_OVERLOOKED = frozenset[str]().union(*(row.modifiers for row in OVERLOOKED))
_EVER = _GROUPED | FORMATS | REFERENCES | FRAGMENTS | _OVERLOOKED


def overlooked_rows(opcode: str) -> tuple[OverlookedModifiers, ...]:
    """The rows that apply to an opcode: those with the longest path that it begins with."""
    rows = [row for row in OVERLOOKED if opcode == row.path or opcode.startswith(row.path + ".")]
    longest = max((len(row.path) for row in rows), default=0)
    return tuple(row for row in rows if len(row.path) == longest)


def types_ignored(mnemonic: str, modifiers: tuple[str, ...]) -> frozenset[str]:
    """The types that the assembler ignores in an opcode."""
    opcode = ".".join((mnemonic, *modifiers, ""))
    types = tuple(each for each in modifiers if each in TYPES or each in FRAGMENTS)
    if mnemonic == "mma":
        return _ignored_in_mma(types, sparse=modifiers[:1] == ("sp",))
    if opcode.startswith(("wmma.load.", "wmma.store.")):
        return _ignored_in_wmma(types, modifiers)
    if mnemonic == "movmatrix":
        return FRAGMENTS
    gated = mnemonic in _GATED_BY_TYPE or opcode.startswith(_ALSO_GATED)
    return REFERENCES if gated and not opcode.startswith(_OTHERS) else PAIRS_OF_BITS


def _ignored_in_mma(types: tuple[str, ...], sparse: bool) -> frozenset[str]:
    """The types that `mma` ignores after its four own types, which determine the lengths of its operand lists.

    With `.f64` they are ignored at any position. None is ignored with `.bf16`, `.tf32` and `.b1`, or in sparse products
    of integers.
    """
    if "f64" in types:
        return FRAGMENTS
    needed = types[:_TYPES_OF_MMA]
    alone = not _EXCLUSIVE.isdisjoint(needed) or (sparse and "s32" in needed)
    return frozenset() if alone else FRAGMENTS.difference(needed)


def _ignored_in_wmma(types: tuple[str, ...], modifiers: tuple[str, ...]) -> frozenset[str]:
    """The types that `wmma.load` and `wmma.store` ignore after the type of their elements, which determines the list's
    length."""
    if not types or types[0] in PAIRS_OF_BITS:
        as_long = "f64" in types or ("f16" in types and not {"a", "b"}.isdisjoint(modifiers))
        return PAIRS_OF_BITS if as_long else frozenset()
    if types[0] in FRAGMENTS:
        return frozenset()
    return FRAGMENTS if types[0] == "s32" and not _SMALL_SHAPES.isdisjoint(modifiers) else PAIRS_OF_BITS


def ignored_modifiers(opcode: str) -> tuple[str, ...]:
    """The modifiers in an opcode that some instructions have and the assembler may ignore in the others."""
    mnemonic, *modifiers = opcode.split(".")
    if _EVER.isdisjoint(modifiers):
        return ()
    rows = overlooked_rows(opcode) if not _OVERLOOKED.isdisjoint(modifiers) else ()
    types = types_ignored(mnemonic, tuple(modifiers)).union(*(row.modifiers for row in rows))
    found = tuple(each for each in modifiers if each in _GROUPED or each in FORMATS or each in types)
    limits = [(group, 1) for group in ONE_OF] + [(row.modifiers, row.most) for row in rows]
    return found if all(sum(each in group for each in found) <= most for group, most in limits) else ()


def without_ignored(form: Form, modifiers: tuple[str, ...], ignored: Iterable[str]) -> tuple[tuple[str, ...], int]:
    """The modifiers without the ignored ones, and the position of the first ignored one (their number if none is).

    Modifiers of ONE_OF and FORMATS are kept if any form of the instruction has them, others only if this form does.
    """
    own, of_all = _choices((form,)), _choices(form.instruction.forms)
    foreign = [
        i
        for i, each in enumerate(modifiers)
        if each in ignored and each not in (of_all if each in _GROUPED or each in FORMATS else own)
    ]
    left = tuple(each for i, each in enumerate(modifiers) if i not in foreign)
    return left, foreign[0] if foreign else len(modifiers)


def _choices(forms: Iterable[Form]) -> set[str]:
    return {choice for form in forms for slot in form.slots for choice in slot.choices}
