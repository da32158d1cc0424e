"""A kernel of machine code in a trial: its registers, as expressions, and its operands."""

from __future__ import annotations

import re

from contraction.expressions import (
    Expression,
    absolute,
    bits,
    constant,
    half,
    high,
    is_bits,
    low,
    make,
    negated,
    pair,
)
from contraction.listing import Instruction, Listing

LONGEST = 20_000
"""Instructions of one trial."""

SCALES = (".M2", ".M4", ".M8", ".D2", ".D4", ".D8")
PARAMETERS = {"8": 0x160, "9": 0x210, "1": 0x380, "7": 0x160}
"""Where parameters begin in the constant bank, by the first digit of the target."""

BANK = re.compile(r"c\[0x0\]\[(0x[0-9a-f]+)\]")
_LITERAL = re.compile(r"c\[0x2\]\[(0x[0-9a-f]+)\]")
_NUMBER = re.compile(r"[+-]?(?:[\d.]|INF|QNAN)")


class Unreadable(Exception):
    """Machine code that this does not know."""


class Machine:
    """One kernel in one trial."""

    def __init__(self, listing: Listing, target: str, trial: int) -> None:
        self.listing, self.trial = listing, trial
        self.first_parameter = PARAMETERS[target.removeprefix("sm_")[0]]
        self.registers: dict[str, Expression] = {}
        self.predicates: dict[str, bool] = {}
        self.stored: dict[int, Expression] = {}  # by offset of each half word

    # Operands.

    def truth(self, text: str) -> bool:
        if text.startswith("!"):
            return not self.truth(text[1:])
        return text in ("PT", "UPT") or self.predicates.get(text, False)

    def word(self, text: str) -> Expression:
        """A register, a literal or a parameter, with its signs."""
        if text.startswith("-"):
            return negated(self.word(text[1:]))
        if text.startswith("|"):
            return absolute(self.word(text.strip("|")))
        if text in ("RZ", "URZ", "SRZ"):
            return bits(0)
        if text.startswith("0x"):
            return bits(int(text, 16))
        bank = BANK.match(text)
        if bank:
            return make("parameter", int(bank[1], 16) - self.first_parameter)
        if _NUMBER.match(text):
            return constant(float(text.replace("QNAN", "nan")), "f32")
        return self.registers.get(text, make("?", text))

    def integer(self, text: str) -> Expression:
        """The same where a minus sign is an integer's."""
        if text.startswith("-"):
            e = self.integer(text[1:])
            return bits(-e.args[0]) if is_bits(e) else make("minus", e)
        return self.word(text)

    def double(self, text: str) -> Expression:
        if text.startswith("-"):
            return negated(self.double(text[1:]))
        if text.startswith("|"):
            return absolute(self.double(text.strip("|")))
        if text == "RZ":
            return bits(0, 64)
        if literal := _LITERAL.match(text):
            at = int(literal[1], 16)
            return bits(int.from_bytes(self.listing.literals[at : at + 8], "little"), 64)
        bank = BANK.match(text)
        if bank:
            first = int(bank[1], 16) - self.first_parameter
            return pair(make("parameter", first), make("parameter", first + 4))
        if _NUMBER.match(text):
            return constant(float(text.replace("QNAN", "nan")), "f64")
        return pair(self.word(text), self.word(following(text)))

    def halves(self, text: str, more: str, format: str) -> tuple[Expression, Expression]:
        """Both halves of an operand; of a literal `more` is the other."""
        if _NUMBER.match(text):
            return constant(float(more), format), constant(float(text), format)
        minus, text = text.startswith("-"), text.removeprefix("-")
        magnitude, text = text.startswith("|"), text.replace("|", "")
        register, _, swizzle = text.partition(".")
        word = self.word(register)
        places = {"H0_H0": (0, 0), "H1_H1": (1, 1), "": (0, 1), "H1_H0": (0, 1), "H0_NH1": (1, 0), "H0_H1": (1, 0)}.get(
            swizzle
        )
        if places is None:
            raise Unreadable(text)
        found = [half(word, place) for place in places]
        if swizzle == "H0_NH1":
            found[0] = negated(found[0])
        if magnitude:
            found = [absolute(e) for e in found]
        return tuple(negated(e) if minus else e for e in found)

    def half_operands(self, i: Instruction, format: str) -> list[tuple[Expression, Expression]]:
        rest, found = list(i.operands[1:]), []
        while rest:
            text = rest.pop(0)
            literal = bool(_NUMBER.match(text)) and not text.startswith("-R")
            found.append(self.halves(text, rest.pop(0) if literal and rest else "0", format))
        return found

    def set_double(self, register: str, e: Expression) -> None:
        self.registers[register], self.registers[following(register)] = low(e), high(e)


def following(register: str) -> str:
    """The name of the next register."""
    kind = "UR" if register.startswith("UR") else "R"
    return f"{kind}{int(register[len(kind) :]) + 1}" if register[-1] != "Z" else register


def put(stored: dict[int, Expression], offset: int, word: Expression) -> None:
    stored[offset], stored[offset + 2] = half(word, 0), half(word, 1)
