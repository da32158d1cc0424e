"""Local memory at consecutive addresses in a warp: each lane still has its own memory."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings

HEAD = ".version 8.8\n.target sm_90\n.address_size 64\n"


def text(width: int, address: str) -> str:
    """Each lane writes its number at the index of its lane, reads there, and copies all of its array to `out`."""
    step = width // 8
    copies = " ".join(
        f"ld.local.v2.u64 {{q, s}}, [loc+{at}]; st.global.v2.u64 [out+{at}], {{q, s}};"
        for at in range(0, 32 * step, 16)
    )
    return f"""{HEAD}.visible .entry k(.param .u64 pout, .param .u64 pback) {{
.reg .b32 lane; .reg .b64 a, q, s, value, out, back; .local .align 16 .b8 loc[{32 * step}];
ld.param.u64 out, [pout]; ld.param.u64 back, [pback]; mov.u32 lane, %tid.x; mov.b64 q, 0;
mad.wide.u32 out, lane, {32 * step}, out; mad.wide.u32 back, lane, 8, back;
{" ".join(f"st.local.v2.u64 [loc+{at}], {{q, q}};" for at in range(0, 32 * step, 16))}
mov.u64 a, loc; mad.wide.u32 a, lane, {step}, a; cvt.u64.u32 value, lane; add.u64 value, value, 1; {address}
st.local.u{width} [a], value; ld.local.u{width} value, [a]; st.global.u64 [back], value;
{copies} ret; }}"""


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_each_lane_has_its_own_by_generic_addresses(width: int) -> None:
    """Such accesses fail their fast check, and the slow path needs the thread and the size of its memory."""
    generic = text(width, "cvta.local.u64 a, a;").replace(f"st.local.u{width}", f"st.u{width}")
    generic = generic.replace(f"ld.local.u{width}", f"ld.u{width}").replace(f"loc[{4 * width}]", f"loc[{8 * width}]")
    number = np.dtype(f"u{width // 8}")
    found, back = np.zeros((64, 32), number), np.zeros(64, np.uint64)
    with settings.cache_at(None):
        openptx.load(generic)["k"](1, 64, (found, back), engine="native", workers=1)
    np.testing.assert_array_equal(back, np.arange(1, 65))
    np.testing.assert_array_equal(found[:32], np.diag(np.arange(1, 33)).astype(number))


@pytest.mark.parametrize("shapes", [True, False], ids=["shapes", "gathers"])
@pytest.mark.parametrize("address", ["", "and.b64 a, a, -1; xor.b64 q, a, 0; mov.b64 a, q;"], ids=["known", "unknown"])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_each_lane_has_its_own(width: int, address: str, shapes: bool) -> None:
    kernel = openptx.load(text(width, address))["k"]
    number = np.dtype(f"u{width // 8}")
    for engine in ("interp", "native"):
        found, back = np.zeros((32, 32), number), np.zeros(32, np.uint64)
        with settings.lane_facts(shapes), settings.cache_at(None):
            kernel(1, 32, (found, back), engine=engine, workers=1)
        np.testing.assert_array_equal(found, np.diag(np.arange(1, 33)).astype(number))
        np.testing.assert_array_equal(back, np.arange(1, 33))
