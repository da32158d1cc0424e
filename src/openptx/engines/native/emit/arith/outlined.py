"""Definitions that are too long to stand in line: one internal function each, called wherever it is used."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from openptx.engines.native.analysis.call_signature import signature
from openptx.engines.native.analysis.lattice import ZEROS, Value, vector_type
from openptx.engines.native.emit.arith.int_ops import IntOps
from openptx.engines.native.emit.ir_builder import IRBuilder
from openptx.isa.machine import Machine
from openptx.numerics import Bits

DEFINITIONS = Machine


def scalar_type(w: int) -> str:
    return f"i{w}"


class Outlined(NamedTuple):
    name: str
    width: int  # of its result
    text: str


class OutlinedOps(IntOps):
    """An emitter that makes functions of definitions. They land in `functions`, which belong to the module."""

    def __init__(self, functions: dict[object, Outlined]) -> None:
        super().__init__()
        self.functions = functions

    def outlined(self, name: str, *arguments: Any, **keywords: Any) -> Bits:
        """What the definition called `name` gives, by a function made for these formats and kinds of lanes."""
        key, operands = signature(name, arguments, keywords)
        definition = getattr(DEFINITIONS, name)
        if not any(isinstance(a.v, Value | tuple) for a in operands):
            return definition(self, *arguments, **keywords)
        uniform = all(self.uniform(a) for a in operands)
        key = (*key, uniform)
        t = scalar_type if uniform else vector_type
        made = self.functions.get(key)
        if made is None:
            made = self.define(definition, key, uniform, operands, arguments, keywords)
        text = ", ".join(f"{t(a.width)} {self.scalar(a) if uniform else self.vector(a)}" for a in operands)
        name = self.ir.emit(f"call {t(made.width)} @{made.name}({text})")
        return self.bits(name, made.width, ZEROS if uniform else None)

    def define(
        self,
        definition: Any,
        key: tuple[object, ...],
        uniform: bool,
        operands: list[Bits],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> Outlined:
        outer, self.ir = self.ir, IRBuilder()
        inner = iter([Bits(self, a.width, Value(f"%a{i}", ZEROS if uniform else None)) for i, a in enumerate(operands)])

        def replace(a: Any) -> Any:
            if isinstance(a, Bits):
                return next(inner)
            return tuple([replace(e) for e in cast("tuple[Any, ...]", a)]) if isinstance(a, tuple) else a

        given = [replace(a) for a in arguments]
        named = {k: replace(a) for k, a in sorted(keywords.items())}
        d = definition(self, *given, **named)
        t = scalar_type if uniform else vector_type
        result = self.scalar(d) if uniform else self.vector(d)
        name = f"{key[0]}.{len(self.functions)}"
        header = ", ".join(f"{t(a.width)} %a{i}" for i, a in enumerate(operands))
        body = "\n".join(["entry:", *self.ir.head, *self.ir.lines, f"ret {t(d.width)} {result}", "}"])
        text = f"define internal {t(d.width)} @{name}({header}) noinline nounwind #0 {{\n{body}\n"
        self.ir = outer
        made = self.functions[key] = Outlined(name, d.width, text)
        return made
