"""The common parts of the functions that kernels call for an access: parameters for values, results, the slow path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.arith.outlined import OutlinedFunction
from openptx.engines.native.emit.ir_builder import STATE, IRBuilder
from openptx.engines.native.emit.scope import ModuleTables


class Shape(NamedTuple):
    """A load or store of some elements per lane."""

    name: str  # load, store
    width: int
    elements: int

    @property
    def step(self) -> int:
        """The bytes of an element."""
        return self.width // 8

    @property
    def result(self) -> str:
        """The elements, and whether a fault was recorded."""
        t = vector_type(self.width)
        return "i1" if self.name == "store" else f"{{ {f'{t}, ' * self.elements}i1 }}"

    @property
    def values(self) -> list[str]:
        """The names of what a store's function stores."""
        return [f"%value{i}" for i in range(self.elements)] if self.name == "store" else []


def function(tables: ModuleTables, key: object, name: str, shape: Shape, parameters: str, body: IRBuilder) -> str:
    """Defines a function; a store's values are its last parameters."""
    given = "".join(f", {vector_type(shape.width)} {value}" for value in shape.values)
    head = f"define internal {shape.result} @{name}({parameters}{given}) noinline nounwind #0"
    text = "\n".join([f"{head} {{", "entry:", *body.lines, "}", ""])
    tables.functions[key] = OutlinedFunction(name, shape.width, text)
    return name


def finish(b: IRBuilder, shape: Shape, found: Sequence[str], failed: str = "false") -> None:
    """Returns what was loaded, and whether a fault was recorded."""
    if shape.name == "store":
        b.line(f"ret i1 {failed}")
        return
    whole = "poison"
    for i, name in enumerate(found):
        whole = b.emit(f"insertvalue {shape.result} {whole}, {vector_type(shape.width)} {name}, {i}")
    b.line(f"ret {shape.result} {b.emit(f'insertvalue {shape.result} {whole}, i1 {failed}, {shape.elements}')}")


def finish_exactly(b: IRBuilder, shape: Shape, addresses: str, call: str) -> None:
    """The slow path, lane by lane: `call` reads the `addresses` and a store's values from the worker's memory, and
    leaves a load's there. It uses `%wide`, the executing lanes."""
    t = vector_type(shape.width)
    b.store(vector_type(64), addresses, b.field("%w", abi.SCRATCH), 64, STATE)
    places = [b.field("%w", abi.DATA + i * N * shape.step) for i in range(shape.elements)]
    for value, place in zip(shape.values, places, strict=False):
        b.store(t, value, place, 4, STATE)
    b.line("%wide = zext i32 %lanes to i64")
    failed = b.emit(call)
    loaded = [b.emit(f"load volatile {t}, ptr {at}, align 4{STATE}") for at in places if shape.name == "load"]
    finish(b, shape, loaded, failed)


def mask() -> str:
    """The executing lanes of an access function, as i1."""
    return "%mask"


def lanes() -> str:
    """The executing lanes of an access function, as bits of an i32."""
    return "%lanes"
