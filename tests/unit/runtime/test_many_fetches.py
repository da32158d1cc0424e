"""Texture fetches of more lanes than one batch equal those of few lanes, and the definition."""

from __future__ import annotations

import numpy as np
import pytest

from openptx.device.textures import sampling
from openptx.device.textures.sampling import Place
from openptx.device.textures.texture import Texture
from openptx.engines.interp.images import TOGETHER
from openptx.runtime import load

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 image, .param .u64 out) {
    .reg .b64 t, p; .reg .f32 x, r, g, b, a; .reg .u32 i, n;
    ld.param.u64 t, [image]; ld.param.u64 p, [out];
    mov.u32 i, %ctaid.x; mov.u32 n, %tid.x; mad.lo.u32 i, i, 1024, n; mad.wide.u32 p, i, 4, p;
    cvt.rn.f32.u32 x, i; mul.f32 x, x, 0f3E800000;
    tex.1d.v4.f32.f32 {r, g, b, a}, [t, {x}];
    st.global.f32 [p], r;
    ret;
}
"""


@pytest.mark.parametrize("filter", ["nearest", "linear"])
def test_many_lanes(filter: str) -> None:
    blocks = 2 * TOGETHER // 1024 + 1
    texels = np.random.default_rng(1).integers(-1000, 1000, blocks * 256).astype(np.float32)
    out = np.zeros(blocks * 1024, np.float32)
    load(KERNEL)["k"](blocks, 1024, (Texture(texels, filter=filter), out), engine="interp")
    x = np.arange(out.size) / 4 - (0.5 if filter == "linear" else 0)
    low = np.floor(x).astype(int)
    one, two = texels[np.maximum(low, 0)], texels[np.minimum(low + 1, texels.size - 1)]
    share = x - low if filter == "linear" else 0
    assert (out == one * (1 - share) + two * share).all()  # exact: quarters of small integers


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "float32"])
@pytest.mark.parametrize("channels", [1, 2, 4])
def test_arrays_of_any_order_have_the_same_texels(dtype: str, channels: int) -> None:
    """Texels that lie side by side are moved as one number, others by their components."""
    rng = np.random.default_rng(2)
    array = rng.integers(0, 100, (5, 7, channels)).astype(dtype)
    read = "element" if dtype.startswith("f") else "normalized_float"
    at = Place(None, [rng.uniform(-2, 9, 300).astype(np.float32) for _ in range(2)], [])
    for filter in ("nearest", "linear"):
        found = []
        for one in (array, np.asfortranarray(array)):
            texture = Texture(one, filter=filter, address="border", channels=channels, read=read)
            found.append(sampling.fetch(texture, texture.sampler, at))
        assert (found[0] == found[1]).all()
        assert found[0].any()
