"""Arithmetic on 64-bit words, or on vectors of them, written as expressions."""

from __future__ import annotations

from dataclasses import dataclass

from openptx.engines.native.emit.ir_builder import IRBuilder


@dataclass(frozen=True, slots=True)
class Word:
    """A value in the text of a function: `n` words, a scalar if n is 0."""

    ir: IRBuilder
    n: int
    name: str

    @property
    def t(self) -> str:
        return f"<{self.n} x i64>" if self.n else "i64"

    def text(self, other: Word | int) -> str:
        if isinstance(other, Word):
            return other.name
        number = (other + (1 << 63)) % (1 << 64) - (1 << 63)
        return f"splat (i64 {number})" if self.n else str(number)

    def _do(self, name: str, other: Word | int) -> Word:
        return Word(self.ir, self.n, self.ir.emit(f"{name} {self.t} {self.name}, {self.text(other)}"))

    def _compare(self, name: str, other: Word | int) -> Flag:
        return Flag(self.ir, self.n, self.ir.emit(f"icmp {name} {self.t} {self.name}, {self.text(other)}"))

    def __add__(self, other: Word | int) -> Word:
        return self._do("add", other)

    def __sub__(self, other: Word | int) -> Word:
        return self._do("sub", other)

    def __and__(self, other: Word | int) -> Word:
        return self._do("and", other)

    def __or__(self, other: Word | int) -> Word:
        return self._do("or", other)

    def __xor__(self, other: Word | int) -> Word:
        return self._do("xor", other)

    def __lshift__(self, other: Word | int) -> Word:
        return self._do("shl", other)

    def __rshift__(self, other: Word | int) -> Word:
        return self._do("lshr", other)

    def below(self, other: Word | int) -> Flag:
        """The comparison `<` of unsigned words."""
        return self._compare("ult", other)

    def negative(self) -> Flag:
        return self._compare("slt", 0)

    def equals(self, other: Word | int) -> Flag:
        return self._compare("eq", other)

    def differs(self, other: Word | int) -> Flag:
        return self._compare("ne", other)

    def splat(self, n: int) -> Word:
        """A vector with the scalar in all elements."""
        one = self.ir.emit(f"insertelement <{n} x i64> poison, i64 {self.name}, i32 0")
        zeros = f"<{n} x i32> zeroinitializer"
        return Word(self.ir, n, self.ir.emit(f"shufflevector <{n} x i64> {one}, <{n} x i64> poison, {zeros}"))


@dataclass(frozen=True, slots=True)
class Flag:
    """A condition, or one for each word."""

    ir: IRBuilder
    n: int
    name: str

    @property
    def t(self) -> str:
        return f"<{self.n} x i1>" if self.n else "i1"

    def _do(self, name: str, other: str) -> Flag:
        return Flag(self.ir, self.n, self.ir.emit(f"{name} {self.t} {self.name}, {other}"))

    def __and__(self, other: Flag) -> Flag:
        return self._do("and", other.name)

    def __or__(self, other: Flag) -> Flag:
        return self._do("or", other.name)

    def __invert__(self) -> Flag:
        return self._do("xor", "splat (i1 true)" if self.n else "true")

    def choose(self, yes: Word, no: Word | int) -> Word:
        text = f"select {self.t} {self.name}, {yes.t} {yes.name}, {yes.t} {yes.text(no)}"
        return Word(self.ir, yes.n, self.ir.emit(text))

    def bits(self) -> Word:
        """A bit for each word, as a scalar."""
        if not self.n:
            return Word(self.ir, 0, self.ir.emit(f"zext i1 {self.name} to i64"))
        word = self.ir.emit(f"bitcast {self.t} {self.name} to i{self.n}")
        return Word(self.ir, 0, self.ir.emit(f"zext i{self.n} {word} to i64"))

    def any(self) -> str:
        """Whether any flag is set, as an i1."""
        return self.bits().differs(0).name if self.n else self.name
