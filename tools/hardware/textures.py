"""Results of a texture unit: filters, coordinates, formats; raw, with texels and coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hardware.driver import Array, Driver
from hardware.images import Image

FETCHES, BLOCK = 512, 256
SIDE = 32
MODES = ("wrap", "mirror", "clamp", "border")


def kernel(dimensions: int) -> str:
    """Fetches four components at float coordinates, which lie in an array for each dimension."""
    names = "xy"[:dimensions]
    loads = " ".join(f"ld.param.u64 at, [p{n}]; add.u64 at, at, four; ld.global.f32 {n}, [at];" for n in names)
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pt, .param .u64 pd{"".join(f", .param .u64 p{n}" for n in names)})
{{
    .reg .b64 t, at, four; .reg .f32 x, y, a<4>; .reg .b32 i, j, n;
    mov.u32 i, %ctaid.x; mov.u32 n, %ntid.x; mov.u32 j, %tid.x; mad.lo.u32 i, i, n, j; mul.wide.u32 four, i, 4;
    {loads}
    ld.param.u64 t, [pt];
    tex.{dimensions}d.v4.f32.f32 {{a0, a1, a2, a3}}, [t, {{{", ".join(names)}}}];
    ld.param.u64 at, [pd]; mad.wide.u32 at, i, 16, at;
    st.global.v4.f32 [at], {{a0, a1, a2, a3}};
    ret;
}}
"""


def fetched(driver: Driver, texels: Array, coordinates: list[Array], **options: Any) -> Array:
    """The components that the texels have, as 32 bits."""
    wanted = {"filter": "linear", "normalized": False, "integer": False, "address": "clamp"} | options
    wanted["address"] = (wanted["address"],) * len(coordinates) + ("clamp",) * (3 - len(coordinates))
    image = Image(driver, texels, False, wanted)
    d = np.zeros((FETCHES, 4), np.uint32)
    loaded = driver.load(kernel(len(coordinates)))
    pointers = [driver.upload(a) for a in (d, *coordinates)]
    arguments = [p.value.to_bytes(8, "little") for p in (image.handle, *pointers)]
    driver.launch(driver.function(loaded, "k"), (FETCHES // BLOCK, 1, 1), (BLOCK, 1, 1), arguments)
    driver.download(d, pointers[0])
    for pointer in pointers:
        driver.free(pointer)
    driver.unload(loaded)
    return d[:, : texels.shape[-1]].squeeze()


def record(folder: Path) -> int:
    """Writes textures.npz: for each experiment texels (but for normalized coordinates), coordinates, results."""
    driver, rng, found = Driver(), np.random.Generator(np.random.PCG64(3)), dict[str, Array]()

    def between(low: float, high: float) -> Array:
        return (low + (high - low) * rng.random(FETCHES)).astype(np.float32)

    def keep(name: str, *arrays: Array) -> None:
        found.update({f"{name}_{i}": a for i, a in enumerate(arrays)})

    for name, far in (("row", 20), ("even_row", 1)):
        row = (rng.standard_normal(FETCHES) * 2.0 ** rng.integers(-far, far, FETCHES)).astype(np.float32)[:, None]
        x = between(-5, FETCHES + 5)
        keep(name, row, x, fetched(driver, row, [x]))
    for dtype in ("float32", "float16", "uint8", "uint16", "int16"):
        shape = (SIDE, SIDE, 1 if dtype == "float32" else 2)
        if dtype.startswith("float"):
            texels = rng.standard_normal(shape).astype(dtype)
        else:
            texels = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)
        for address in ("clamp", "border"):
            x, y = between(-2, SIDE + 2), between(-2, SIDE + 2)
            keep(f"{dtype}-{address}", texels, x, y, fetched(driver, texels, [x, y], address=address))
    for size in (3, 7, 100, 1000):
        texels = np.arange(size, dtype=np.float32)[:, None]
        for address in MODES:
            for filter in ("nearest", "linear"):
                x = between(-2, 3)
                options = {"filter": filter, "address": address, "normalized": True}
                keep(f"{size}-{address}-{filter}", x, fetched(driver, texels, [x], **options))
    np.savez_compressed(folder / "textures.npz", **found)
    return len(found)
