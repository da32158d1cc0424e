"""suld.b, sust.b and sured.b (9.7.11): random accesses to surfaces of all geometries, also outside of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_bulk_copy_model import BITS, EXTREMES, wrapped

import openptx

GEOMETRIES = {"1d": 1, "2d": 2, "3d": 3, "a1d": 2, "a2d": 3}
"""The number of coordinates, a layer included."""
ACCESSES = 32
WORD = {1: "b8", 2: "b16", 4: "b32", 8: "b64"}
SIZES = {"zero": [(1, 1), (4, 1), (1, 2), (4, 4)], "clamp": [(2, 1), (8, 1), (2, 4), (8, 2)]}
"""Bytes and elements of an access."""
REDUCTIONS = [
    *(("add", type, wrapped) for type in ("u32", "s32", "u64")),
    *((name, type, does) for name, does in EXTREMES.items() for type in ("u32", "s32", "u64", "s64")),
    *((name, "b32", BITS[name]) for name in ("and", "or")),
]


class Accesses:
    """Accesses of one thread, for the most part inside: each of a number of bytes, at a multiple of it."""

    def __init__(self, seed: int, geometry: str, size: int, mode: str) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.geometry, self.size, self.mode = geometry, size, mode
        self.layered, axes = geometry.startswith("a"), GEOMETRIES[geometry]
        outer = rng.integers(1, 5, axes - 1).tolist()
        self.array = rng.integers(0, 256, (*outer, size * int(rng.integers(1, 6))), dtype=np.uint8)
        shape = (*outer, self.array.shape[-1] // size)
        margins = [0 if self.layered and not axis else 2 for axis in range(axes)]
        places = [[int(rng.integers(-m, n + m)) for n, m in zip(shape, margins, strict=True)] for _ in range(ACCESSES)]
        self.shape, self.places = shape, places
        self.values = rng.integers(0, 256, (ACCESSES, size), dtype=np.uint8)

    def found(self, place: list[int]) -> tuple[int, ...] | None:
        """Where an access takes place, in units of its size: nowhere, or at the nearest one, if it is outside."""
        nearest = tuple(min(max(i, 0), n - 1) for i, n in zip(place, self.shape, strict=True))
        return nearest if self.mode == "clamp" or nearest == tuple(place) else None

    def run(self, statement: str, registers: str, count: int) -> tuple[Any, Any]:
        """The surface and the values afterwards. The statement is given its coordinates, and a value in registers."""
        bits = 8 * self.size // count
        names = [f"v{i}" for i in range(count)]
        order = [*range(4 - GEOMETRIES[self.geometry], 4)]  # registers of the coordinates, the outermost first
        layer = [order.pop(0)] if self.layered else []
        at = [f"c{i}" for i in layer + order[::-1]]
        at += ["c0"] * ((1 << (len(at) - 1).bit_length()) - len(at))  # elements that are ignored
        loads = [f"ld.global.b{bits} {v}, [u+{bits // 8 * i}];" for i, v in enumerate(names)]
        stores = [f"st.global.b{bits} [u+{bits // 8 * i}], {v};" for i, v in enumerate(names)]
        text = f""".version 8.1
.target sm_90
.address_size 64
.entry k(.param .u64 image, .param .u64 pplaces, .param .u64 pvalues) {{
.reg .b64 s, p, u; .reg .b32 n, c<4>; .reg .b{max(bits, 16)} {", ".join(names)}; .reg .pred more;
ld.param.u64 s, [image]; ld.param.u64 p, [pplaces]; ld.param.u64 u, [pvalues]; mov.u32 n, 0;
AGAIN: ld.global.v4.b32 {{c0, c1, c2, c3}}, [p];
{" ".join(loads)} {statement.format(at=f"[s, {{{', '.join(at)}}}]", value=registers)} {" ".join(stores)}
add.s64 p, p, 16; add.s64 u, u, {self.size}; add.u32 n, n, 1; setp.lt.u32 more, n, {ACCESSES}; @more bra AGAIN;
ret; }}"""
        places = np.zeros((ACCESSES, 4), np.int32)
        places[:, 4 - GEOMETRIES[self.geometry] :] = self.places
        places[:, 3] *= self.size  # bytes
        array, values = self.array.copy(), self.values.copy()
        openptx.load(text)["k"](1, 1, (openptx.Surface(array, layered=self.layered), places, values), engine="interp")
        return array, values

    def part(self, array: Any, place: tuple[int, ...]) -> Any:
        return array[place[:-1]][place[-1] * self.size :][: self.size]


@pytest.mark.parametrize("mode", ["zero", "clamp"])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_loads_and_stores(geometry: str, mode: str) -> None:
    for seed, (bytes, count) in enumerate(SIZES[mode]):
        names = ", ".join(f"v{i}" for i in range(count))
        vector, registers = (f".v{count}", f"{{{names}}}") if count > 1 else ("", names)
        one = Accesses(seed, geometry, bytes * count, mode)
        loaded, stored = one.values.copy(), one.array.copy()
        for value, place in zip(loaded, one.places, strict=True):
            where = one.found(place)
            if where is not None:
                one.part(stored, where)[:] = value
            value[:] = 0 if where is None else one.part(one.array, where)
        suffix = f"{geometry}{vector}.{WORD[bytes]}.{mode}"
        array, values = one.run(f"suld.b.{suffix} {{value}}, {{at}};", registers, count)
        np.testing.assert_array_equal(array, one.array)
        np.testing.assert_array_equal(values, loaded, suffix)
        array, values = one.run(f"sust.b.{suffix} {{at}}, {{value}};", registers, count)
        np.testing.assert_array_equal(array, stored, suffix)
        np.testing.assert_array_equal(values, one.values)


@pytest.mark.parametrize("geometry", ["1d", "2d", "3d"])
def test_reductions(geometry: str) -> None:
    for seed, (operation, type, does) in enumerate(REDUCTIONS):
        size = int(type[1:]) // 8
        one = Accesses(seed, geometry, size, ["zero", "clamp"][seed % 2])
        dtype, expected = f"{type[0].replace('s', 'i').replace('b', 'u')}{size}", one.array.copy()
        for value, place in zip(one.values, one.places, strict=True):
            where = one.found(place)
            if where is not None:
                element = one.part(expected, where).view(dtype)
                element[:] = does(element, value.view(dtype))
        statement = f"sured.b.{operation}.{geometry}.{type}.{one.mode} {{at}}, {{value}};"
        array, _ = one.run(statement, "v0", 1)
        np.testing.assert_array_equal(array, expected, statement)
