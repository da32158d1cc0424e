"""Builds LLVM text whose values are vectors of sixteen lanes."""

from __future__ import annotations

from openptx.llvm.builder import Builder

LANES = 16
INT, FLOAT, BIT = f"<{LANES} x i32>", f"<{LANES} x float>", f"<{LANES} x i1>"
QUADS = 4
"""Groups of four lanes in a vector."""


class Text(Builder):
    """Vectors of integers and of floats, and loops."""

    def int(self, op: str, a: str, b: str | int, t: str = INT) -> str:
        return self.emit(f"{op} {t} {a}, {b if isinstance(b, str) else constant(b, t)}")

    def compare(self, condition: str, a: str, b: str | int, t: str = INT) -> str:
        return self.emit(f"icmp {condition} {t} {a}, {b if isinstance(b, str) else constant(b, t)}")

    def select(self, p: str, a: str | int, b: str | int, t: str = INT) -> str:
        yes, no = (v if isinstance(v, str) else constant(v, t) for v in (a, b))
        bits = t.rpartition(" ")[0] + " i1>"
        return self.emit(f"select {bits} {p}, {t} {yes}, {t} {no}")

    def call(self, name: str, a: str, b: str | int, t: str = INT) -> str:
        """An LLVM function of two integer vectors: `smax`, `sadd.sat`."""
        suffix = "v" + t[1:-1].replace(" x ", "")
        other = b if isinstance(b, str) else constant(b, t)
        return self.emit(f"call {t} @llvm.{name}.{suffix}({t} {a}, {t} {other})")

    def float(self, op: str, a: str, b: str) -> str:
        return self.emit(f"{op} {FLOAT} {a}, {b}")

    def bits(self, a: str) -> str:
        return self.cast("bitcast", a, FLOAT, INT)

    def number(self, a: str) -> str:
        """The bits, as floats."""
        return self.cast("bitcast", a, INT, FLOAT)

    def cast(self, op: str, a: str, old: str, new: str) -> str:
        return a if old == new else self.emit(f"{op} {old} {a} to {new}")

    def replicated(self, a: str, k: int) -> str:
        """A vector in which every lane has the value of lane `k` in its group of four."""
        return self.shuffle(INT, a, "poison", [i & ~3 | k for i in range(LANES)])

    # Memory

    def load_at(self, t: str, base: str, offset: int | str, align: int = 4) -> str:
        """Loads from this many bytes after a pointer."""
        return self.load(t, self.field(base, offset), align)

    def store_at(self, t: str, value: str, base: str, offset: int | str, align: int = 4) -> None:
        self.store(t, value, self.field(base, offset), align)

    def array(self, count: int) -> str:
        """Stack memory for vectors."""
        return self.emit(f"alloca [{count} x {INT}], align 64")


def constant(value: int, t: str) -> str:
    """A vector with the same value in every lane."""
    return "zeroinitializer" if value == 0 else f"splat ({t.rpartition(' ')[2][:-1]} {value})"


def literal(value: float) -> str:
    """A vector with the f32 in every lane."""
    return f"splat (float {value!r})"
