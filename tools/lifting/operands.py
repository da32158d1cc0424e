"""Operands of machine code as registers of PTX, and the statements that a translation consists of."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from contraction.listing import Instruction

_MEMORY = re.compile(r"(?:desc\[\w+\])?\[(.*)\]$")
_CONSTANT = re.compile(r"c\[(0x\w+)\]\[(.*)\]$")
_NUMBER = re.compile(r"[+-]?(?:\d|\.\d|INF|QNAN|SNAN)")
_REGISTER = re.compile(r"U?R(\d+|Z)$")
_PREDICATE = re.compile(r"!?U?P(\d|T)$")


class Unreadable(Exception):
    """Machine code that this does not know."""


def is_predicate(text: str) -> bool:
    return _PREDICATE.match(text) is not None


def is_number(text: str) -> bool:
    """Whether an operand is a literal of a floating-point type."""
    return _NUMBER.match(text) is not None and not text.startswith(("0x", "-0x"))


def following(register: str, n: int = 1) -> str:
    """The name of a later register of the same file."""
    kind = "UR" if register.startswith("UR") else "R"
    return register if register[-1] == "Z" else f"{kind}{int(register[len(kind) :]) + n}"


class Writer:
    """The statements of a kernel. Every `R`, `UR`, `P` and `UP` is a register of PTX with that name after a `%`.

    A method that reads an operand returns a register of PTX or a number; one that begins with `set` writes a register
    of machine code. `constant` gives a word of a constant bank, and `indexed` one at a computed place. `bases` are what
    has to be added to addresses of a space.
    """

    def __init__(self, constant: Callable[[Writer, int, str], str], indexed: Callable[..., str]) -> None:
        self.lines: list[str] = []
        self.temporaries: dict[str, int] = {}
        self.constant, self.indexed = constant, indexed
        self.bases = dict[str, int]()
        self.immediate = 0
        """The immediate of the instruction that is translated: of a NaN the text has not all bits."""

    def emit(self, line: str) -> None:
        self.lines.append(f"{line};")

    def new(self, type: str) -> str:
        n = self.temporaries[type] = self.temporaries.get(type, 0) + 1
        return f"%{type}_{n}"

    def make(self, opcode: str, *operands: str, type: str = "b32") -> str:
        """The result of an instruction, in a new register."""
        result = self.new(type)
        self.emit(f"{opcode} {', '.join((result, *operands))}")
        return result

    # Words.

    def word(self, text: str) -> str:
        """A register, a number or a word of a constant bank, without a sign."""
        if text in ("RZ", "URZ", "SRZ"):
            return "0"
        if _REGISTER.match(text):
            return f"%{text}"
        found = _CONSTANT.match(text)
        if found:
            return self.constant(self, int(found[1], 16), found[2])
        if text.startswith(("0x", "-0x")):
            return str(int(text, 16) & 0xFFFFFFFF)
        if _NUMBER.match(text):
            return self.f32_literal(text)
        raise Unreadable(f"operand {text}")

    def integer(self, text: str, *, ones: bool = False) -> str:
        """A word; a minus sign is that of an integer, `~` the ones' complement."""
        if re.match(r"-0x", text):
            return self.word(text)
        if text.startswith("-"):
            return self.make("neg.s32", self.integer(text[1:]))
        if text.startswith("~"):
            return self.make("not.b32", self.integer(text[1:]))
        if text.startswith("|"):
            return self.make("abs.s32", self.integer(text.strip("|")))
        part = re.match(r"(\w+)\.(B|H)(\d)(?:_H\d)?$", text)
        if part:
            size = 8 if part[2] == "B" else 16
            return self.make("bfe.u32", self.word(part[1]), str(size * int(part[3])), str(size))
        return self.word(text)

    def wide(self, text: str) -> str:
        """A pair of words as 64 bits."""
        if text.startswith(("0x", "-0x")):
            return str(int(text, 16))
        minus, text = text.startswith("-"), text.removeprefix("-")
        if text in ("RZ", "URZ"):
            return "0"
        if _REGISTER.match(text):
            pair = self.make("mov.b64", f"{{%{text}, %{following(text)}}}", type="b64")
        elif found := _CONSTANT.match(text):
            offset = f"{found[2]}+0x4" if "R" in found[2] else f"{int(found[2], 16) + 4:#x}"
            words = (self.constant(self, int(found[1], 16), at) for at in (found[2], offset))
            pair = self.make("mov.b64", f"{{{', '.join(words)}}}", type="b64")
        else:
            raise Unreadable(f"operand {text}")
        return self.make("neg.s64", pair, type="b64") if minus else pair

    def set(self, register: str, value: str) -> None:
        if register not in ("RZ", "URZ"):
            self.emit(f"mov.b32 %{register}, {value}")

    def set_wide(self, register: str, value: str) -> None:
        if register in ("RZ", "URZ"):
            return
        self.emit(f"mov.b64 {{%{register}, %{following(register)}}}, {value}")

    # Floats.

    @staticmethod
    def number(text: str) -> float:
        return float(text.replace("QNAN", "nan").replace("SNAN", "nan").replace("INF", "inf"))

    def f32_literal(self, text: str) -> str:
        n = self.number(text)
        bits = struct.unpack("<I", struct.pack("<f", n))[0] if n == n else self.immediate
        return f"0x{bits:08X}"

    def f64_literal(self, n: float) -> str:
        """A number of which the instruction has the upper half."""
        bits = struct.unpack("<Q", struct.pack("<d", n))[0] if n == n else self.immediate << 32
        return f"0d{(bits + (1 << 31)) >> 32 << 32:016X}"

    def single(self, text: str) -> str:
        """A number of f32, with its signs."""
        minus = text.startswith("-") and not _NUMBER.match(text)
        text = text.removeprefix("-") if minus else text
        magnitude, text = text.startswith("|"), text.strip("|")
        value = self.word(text)
        if not value.startswith("%"):
            bits = int(value, 0) & (0x7FFFFFFF if magnitude else 0xFFFFFFFF) ^ minus << 31
            return f"0f{bits:08X}"
        if magnitude:
            value = self.make("and.b32", value, "0x7FFFFFFF")
        if minus:
            value = self.make("xor.b32", value, "0x80000000")
        return value

    def double(self, text: str) -> str:
        if _NUMBER.match(text):
            return self.f64_literal(self.number(text))
        minus, text = text.startswith("-"), text.removeprefix("-")
        magnitude, text = text.startswith("|"), text.strip("|")
        value = self.wide(text)
        if not value.startswith("%"):
            return f"0d{int(value) & (1 << 64) - 1 ^ minus << 63:016X}"
        changed = value
        if magnitude:
            changed = self.make("and.b64", changed, "0x7FFFFFFFFFFFFFFF", type="b64")
        if minus:
            changed = self.make("xor.b64", changed, "0x8000000000000000", type="b64")
        if changed != value:  # NaNs keep their signs
            value = self.make(
                "selp.b64", value, changed, self.make("setp.nan.f64", value, value, type="pred"), type="b64"
            )
        return value

    # Predicates.

    def predicate(self, text: str) -> str:
        """A register that is the predicate, of which `text` may be the negation."""
        if text.endswith("PT"):
            return self.make("setp.eq.u32", "0", "1" if text.startswith("!") else "0", type="pred")
        if text.endswith(".SIGN"):
            return self.make("setp.lt.s32", self.word(text.removesuffix(".SIGN")), "0", type="pred")
        if text.startswith("!"):
            return self.make("not.pred", f"%{text[1:]}", type="pred")
        return f"%{text}"

    def set_predicate(self, register: str, value: str) -> None:
        if not register.endswith("PT"):
            self.emit(f"mov.pred %{register}, {value}")

    def bit(self, text: str) -> str:
        """A predicate as 0 or 1."""
        if text.endswith("PT"):
            return "0" if text.startswith("!") else "1"
        return self.make("selp.u32", "1", "0", self.predicate(text))

    # Addresses.

    @staticmethod
    def bank(text: str) -> tuple[int, str]:
        """A constant bank and the place in it."""
        found = _CONSTANT.match(text)
        if found is None:
            raise Unreadable(text)
        return int(found[1], 16), found[2]

    def address(self, text: str) -> tuple[list[str], int]:
        """The registers that are added, and a number."""
        inner = _MEMORY.search(text)
        if inner is None:
            raise Unreadable(f"address {text}")
        registers, offset = list[str](), 0
        for part in re.findall(r"[+-]?[^+-]+", inner[1]):
            part = part.removeprefix("+")
            if part.startswith(("0x", "-0x")):
                offset += int(part, 16)
            elif part not in ("RZ", "URZ"):
                if part.partition(".")[2] not in ("", "64", "U32", "X4", "X8", "X16"):
                    raise Unreadable(f"address {text}")
                registers.append(part)
        return registers, offset


Step = Callable[[Writer, Instruction, list[str], list[str]], None]
"""Writes an instruction; its modifiers and its operands."""
