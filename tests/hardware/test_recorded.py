"""Results equal recorded digests of GPUs' results, without a GPU."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import record_hardware as recorder

import openptx
from hardware import opcodes, tensor_cores
from openptx import Texture
from openptx.device.textures import sampling

FOLDERS = sorted(p.parent for p in Path(__file__).parent.glob("*/index.json"))
FORMS = {form.opcode: form for form in recorder.forms()}
PRODUCTS = {form.opcode: form for form in tensor_cores.forms()}
LARGE = 1 << 21  # operands of a batch that only the sweep looks at


def load(folder: Path, name: str = "index.json") -> Any:
    return json.loads((folder / name).read_text())


def rows(kind: str, known: dict[str, Any]) -> list[Any]:
    """Those that agreed when they were recorded."""
    return [
        pytest.param(known[opcode], row, id=f"{folder.name}-{opcode}")
        for folder in FOLDERS
        for opcode, row in load(folder)[kind].items()
        if opcode in known and row.get("differ") == 0
    ]


def test_forms() -> None:
    """Conversions, approximate functions, rounded operations; batches of millions under make sweep."""
    every, wrong = rows("forms", FORMS), list[str | None]()
    assert len(every) > 400
    for each in every:
        form, row = each.values
        batches = [(a, d) for a, d in zip(recorder.operands(form), row["digests"], strict=True) if a[0].size < LARGE]
        if any(recorder.digest(recorder.defined(form, arrays)) != digest for arrays, digest in batches):
            wrong.append(each.id)
    assert not wrong


@pytest.mark.sweep
@pytest.mark.parametrize(("form", "row"), [p for p in rows("forms", FORMS) if recorder.of_one_f32(p.values[0])])
def test_whole_binades(form: recorder.Form, row: dict[str, Any]) -> None:
    for arrays, digest in zip(recorder.operands(form), row["digests"], strict=True):
        assert recorder.digest(recorder.defined(form, arrays)) == digest


@pytest.mark.parametrize(("form", "row"), rows("products", PRODUCTS))
def test_products(form: tensor_cores.Form, row: dict[str, Any]) -> None:
    assert tensor_cores.digest(tensor_cores.defined(form, tensor_cores.operands(form))) == row["digest"]


def check_statements(forms: slice, least: int) -> None:
    for folder in FOLDERS:
        agreed = load(folder, "opcodes.json")["agree"]
        found = [s for n, k in opcodes.forms()[forms] for s in opcodes.of_numbers(n, k) if s.text in agreed]
        assert len(found) > least
        wrong = [s.text for s in found if opcodes.digest(opcodes.ours(s, opcodes.arrays(s))) != agreed[s.text]]
        assert not wrong


def test_statements() -> None:
    """Of every tenth form."""
    check_statements(slice(3, None, 10), 150)


@pytest.mark.sweep
def test_all_statements() -> None:
    check_statements(slice(None), 5000)


# Textures


def fetched(t: Texture, *coordinates: Any) -> Any:
    return sampling.fetch(t, t.sampler, sampling.Place(None, coordinates, ()))[:, : t.channels].squeeze()


def recorded(name: str) -> list[Any]:
    """Texels, coordinates, results."""
    found = []
    for folder in FOLDERS:
        with np.load(folder / "textures.npz") as file:
            found += [file[key] for key in sorted(file.files) if key.rpartition("_")[0] == name]
    return found


@pytest.mark.parametrize(("name", "options"), [
    ("row", {}), ("even_row", {}), ("float32-clamp", {}), ("float32-border", {}),
    ("float16-clamp", {"channels": 2}), ("float16-border", {"channels": 2}),
    *((f"{dtype}-{address}", {"channels": 2, "read": "normalized_float"})
      for dtype in ("uint8", "uint16", "int16") for address in ("clamp", "border")),
])  # fmt: skip
def test_filters(name: str, options: dict[str, Any]) -> None:
    """Weights of eight bits, and how their sum is rounded."""
    texels, *coordinates, expected = recorded(name)
    address = name.rpartition("-")[2] if "-" in name else "clamp"
    t = Texture(texels if "channels" in options else texels[..., 0], filter="linear", address=address, **options)
    np.testing.assert_array_equal(fetched(t, *coordinates), expected)


@pytest.mark.parametrize("size", [3, 7, 100, 1000])
@pytest.mark.parametrize("filter", ["nearest", "linear"])
@pytest.mark.parametrize("address", ["wrap", "mirror", "clamp", "border"])
def test_normalized_coordinates(size: int, address: str, filter: str) -> None:
    x, expected = recorded(f"{size}-{address}-{filter}")
    t = Texture(np.arange(size, dtype=np.float32), filter=filter, address=address, normalized=True)
    np.testing.assert_array_equal(fetched(t, x), expected)


@pytest.mark.parametrize("normalized", [False, True])
def test_gathers(normalized: bool) -> None:
    """Which four texels are around a place: those that a filter would weigh. Every tenth place is within a rounding."""
    with np.load(Path(__file__).parent / "sm_90-13.0-2026-11-26" / "textures.npz") as file:
        name = "gather-normalized" if normalized else "gather"
        texels, expected = file[f"{name}_texels0"].reshape(16, 16), file[f"{name}_results"]
        coordinates = file[f"{name}_coordinates"].view(np.float32)
    t = Texture(texels, normalized=normalized)
    found = sampling.gather(t, t.sampler, sampling.Place(None, list(coordinates), ()), 0)
    np.testing.assert_array_equal(found, expected)


def test_rows_of_int8_are_filtered() -> None:
    with np.load(Path(__file__).parent / "sm_90-13.0-2026-11-26" / "textures.npz") as file:
        texels, expected = file["int8-row_texels0"].reshape(-1), file["int8-row_results"][:, 0]
        (x,) = file["int8-row_coordinates"].view(np.float32)
    t = Texture(texels, filter="linear", read="normalized_float")
    assert texels.min() == -128
    np.testing.assert_array_equal(fetched(t, x), expected)


@pytest.mark.parametrize(("name", "options"), [
    ("float32", {"address": "border"}), ("float16", {"address": "mirror", "normalized": True, "channels": 2}),
    ("int8", {"channels": 2, "read": "normalized_float"}),
])  # fmt: skip
def test_volumes_are_filtered(name: str, options: dict[str, Any]) -> None:
    """Floats of each z are summed by themselves."""
    with np.load(Path(__file__).parent / "sm_90-13.0-2026-11-26" / "textures.npz") as file:
        texels, expected = file[f"volume-{name}_texels0"], file[f"volume-{name}_results"]
        coordinates = file[f"volume-{name}_coordinates"].view(np.float32)
    t = Texture(texels if "channels" in options else texels[..., 0], filter="linear", **options)
    np.testing.assert_array_equal(fetched(t, *coordinates).reshape(expected.shape), expected)


def of_h200(name: str) -> tuple[Any, Any, Any]:
    """Texels of the first level, coordinates, results."""
    with np.load(Path(__file__).parent / "sm_90-13.0-2026-11-26" / "textures.npz") as file:
        return file[f"{name}_texels0"], file[f"{name}_coordinates"].view(np.float32), file[f"{name}_results"]


@pytest.mark.parametrize(("name", "options"), [("border", {}), ("border-uint8", {"read": "normalized_float"})])
def test_colored_borders(name: str, options: dict[str, Any]) -> None:
    texels, coordinates, expected = of_h200(name)
    t = Texture(texels, filter="linear", address="border", border=(0.25, -0.5, 1.5, 3.0), channels=4, **options)
    np.testing.assert_array_equal(fetched(t, *coordinates).reshape(expected.shape), expected)


def test_srgb() -> None:
    texels, coordinates, expected = of_h200("srgb")
    t = Texture(texels, read="normalized_float", srgb=True)
    np.testing.assert_array_equal(fetched(t, *coordinates).reshape(expected.shape), expected)


def test_directions_that_are_no_numbers_and_ties() -> None:
    """361 directions of a cube with every pair of 19 special numbers."""
    texels, coordinates, expected = of_h200("cube-ties")
    t = Texture(texels.reshape(6, 4, 4), cube=True)
    found = np.zeros(len(expected), np.float32)
    kernel = openptx.load(CUBE)["k"]
    kernel[len(expected), 1](t, found, *(np.ascontiguousarray(c) for c in coordinates))
    np.testing.assert_array_equal(found.view(np.uint32), expected[:, 0])


CUBE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pt, .param .u64 po, .param .u64 px, .param .u64 py, .param .u64 pz) {
.reg .b64 t, o, a; .reg .b32 i; .reg .f32 x, y, z, r, s, u, v;
ld.param.u64 t, [pt]; ld.param.u64 o, [po]; mov.u32 i, %ctaid.x;
ld.param.u64 a, [px]; mad.wide.u32 a, i, 4, a; ld.f32 x, [a];
ld.param.u64 a, [py]; mad.wide.u32 a, i, 4, a; ld.f32 y, [a];
ld.param.u64 a, [pz]; mad.wide.u32 a, i, 4, a; ld.f32 z, [a];
tex.cube.v4.f32.f32 {r, s, u, v}, [t, {x, y, z, z}];
mad.wide.u32 o, i, 4, o; st.f32 [o], r; ret; }"""
