"""Errors that new users make: each message names the cause and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.errors import ArgumentError

KERNEL = ".visible .entry {}(.param .u32 n, .param .u64 x) {{ .reg .b32 %r; mov.u32 %r, 1; ret; }}\n"
HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
TEXT = HEADER + KERNEL.format("scale")
X = np.zeros(4, np.float32)


def refused(kind: type[Exception], call: Callable[[], Any]) -> str:
    with pytest.raises(kind) as found:
        call()
    return str(found.value)


def test_arguments_without_their_tuple() -> None:
    launch: Any = openptx.load(TEXT)["scale"]
    said = refused(ArgumentError, lambda: launch(1, 32, 4, X))
    assert said.endswith("one tuple: write `kernel(grid, block, (x, y))`, or `kernel[grid, block](x, y)`")
    launch(1, 32, (4, X))
    launch[1, 32](4, X)


@pytest.mark.parametrize("given", [X, np.array(4), np.array([4])], ids=["array", "0-d", "1-d"])
def test_an_array_for_a_number(given: object) -> None:
    said = refused(ArgumentError, lambda: openptx.load(TEXT)["scale"](1, 32, (given, X)))
    assert said.startswith("argument 0 (`.u32 n`) takes a number, not an array")


def test_a_kernel_is_an_item_of_its_module() -> None:
    module: Any = openptx.load(TEXT)
    assert refused(AttributeError, lambda: module.scale).endswith('; a kernel is an item: `module["scale"]`')
    assert refused(AttributeError, lambda: module.launch) == "a loaded module has no attribute `launch`"
    assert not hasattr(module, "_repr_png_")


def test_an_unknown_kernel_among_many() -> None:
    module = openptx.load(HEADER + "".join(KERNEL.format(f"kernel_{i}") for i in range(40)) + KERNEL.format("scale"))
    said = refused(ArgumentError, lambda: module["scala"])
    assert said == "no kernel `scala`: <string> has `scale` and 40 others (`module.kernels`)"
    assert len(refused(ArgumentError, lambda: module["zzz"])) < 200


@pytest.mark.parametrize(("given", "meant"), [(90, "sm_90"), ("90a", "sm_90a"), ("sm90", "sm_90")])
def test_targets(given: Any, meant: str) -> None:
    assert refused(ArgumentError, lambda: openptx.check(TEXT, target=given)).endswith(f"did you mean {meant}?")


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("float16", "did you mean f16?"), ("bfloat16", "did you mean bf16?"), ("int8", "did you mean s8?"),
        ("e4m4", "did you mean e4m3?"), ("e4m3x3", "did you mean e4m3"), ("zebra", "there are s8, s16"),
    ],
)  # fmt: skip
def test_number_formats(given: str, hint: str) -> None:
    assert hint in refused(ArgumentError, lambda: openptx.convert(X, given))


@pytest.mark.parametrize(
    ("options", "write"),
    [
        ({"registers": "%r"}, "write `registers=['%r']`"),
        ({"lines": 4}, "write `lines=[4]`"),
        ({"threads": 3}, "write `threads=[3]`"),
        ({"blocks": 0}, "write `blocks=[0]`"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_one_where_a_list_is_expected(options: dict[str, Any], write: str) -> None:
    kernel = openptx.load(TEXT)["scale"]
    assert refused(ArgumentError, lambda: openptx.trace(kernel, 1, 32, (4, X), **options)).endswith(write)


def test_a_misspelt_function() -> None:
    front: Any = openptx
    with pytest.raises(AttributeError) as found:
        front.lod("x.ptx")
    assert (found.value.name, found.value.obj) == ("lod", openptx)  # for which Python suggests `load`
