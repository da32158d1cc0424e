"""Builds random LLVM IR: types, values, and the lines that define them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("half", "float", "double")
WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "i128": 128, "half": 16, "float": 32, "double": 64}


@dataclass(frozen=True, slots=True)
class Value:
    name: str
    type: str


@dataclass(slots=True)
class Writer:
    """IR under construction: lines, the values that may be used, and the intrinsics that were called."""

    dice: random.Random
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    declared: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def fresh(self, prefix: str = "v") -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def let(self, type_: str, text: str) -> Value:
        value = Value(f"%{self.fresh()}", type_)
        self.lines.append(f"  {value.name} = {text}")
        return value

    def keep(self, value: Value) -> Value:
        self.values.append(value)
        return value

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def jump(self, text: str) -> None:
        self.lines.append(f"  br {text}")

    def pick(self, *types: str) -> Value:
        """A value of one of the types: one there is, rather the younger, or a constant."""
        found = [v for v in self.values if v.type in types]
        if found and self.dice.random() < 0.9:
            return found[-1 - min(int(self.dice.expovariate(0.25)), len(found) - 1)]
        return self.constant(self.dice.choice(types))

    def constant(self, type_: str) -> Value:
        if type_ in FLOATS:
            return self.let(type_, f"bitcast i{WIDTH[type_]} {self._float_bits(type_)} to {type_}")
        bits = WIDTH[type_]
        edges = [0, 1, -1, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 2, 7, 10]
        v = (
            self.dice.choice(edges)
            if self.dice.random() < 0.5
            else self.dice.randrange(-(2 ** (bits - 1)), 2 ** (bits - 1))
        )
        return Value(str(v), type_)

    def _float_bits(self, type_: str) -> int:
        dtype = {"half": np.float16, "float": np.float32, "double": np.float64}[type_]
        v = self.dice.choice([0.0, -0.0, 1.0, -1.5, 0.1, 3.0, 65504.0, 1e-7, self.dice.gauss(0, 100)])
        return int(np.array(v, dtype).view(f"u{WIDTH[type_] // 8}"))

    def call(self, type_: str, name: str, *arguments: str) -> Value:
        types = ", ".join(a.split()[0] for a in arguments)
        self.declared[name] = f"declare {type_} @{name}({types})"
        return self.let(type_, f"call {type_} @{name}({', '.join(arguments)})")

    def one_nan(self, v: Value) -> Value:
        """The bits of a float as an integer, every NaN made the one NaN: by a function of integers that is not inlined,
        for to LLVM the bits of a NaN are nobody's business, and it folds away whatever cares."""
        whole = f"i{WIDTH[v.type]}"
        raw = self.let(whole, f"bitcast {v.type} {v.name} to {whole}")
        return self.let(whole, f"call {whole} @one_nan_{v.type}({whole} {raw.name})")

    def quiet(self, v: Value) -> Value:
        """The float with every NaN made the one NaN."""
        return self.let(v.type, f"bitcast i{WIDTH[v.type]} {self.one_nan(v).name} to {v.type}")

    def bits(self, v: Value) -> Value:
        """Any value as an i64."""
        if v.type in FLOATS:
            v = self.one_nan(v)
        if v.type == "i64":
            return v
        return self.let("i64", f"{'trunc' if v.type == 'i128' else 'zext'} {v.type} {v.name} to i64")
