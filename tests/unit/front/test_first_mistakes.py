"""Errors that new users make: each message names the cause and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
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


@pytest.mark.parametrize("given", [None, 5, openptx], ids=["none", "number", "module"])
def test_link_without_a_list(given: Any) -> None:
    said = refused(ArgumentError, lambda: openptx.link(given))
    assert said == f"`link` takes a list of modules, `[a, b]`, not {type(given).__name__}"


@pytest.mark.parametrize("option", ["select", "ignore", "extend_select"])
@pytest.mark.parametrize("given", [5, [3], ["PTX03", None]], ids=str)
def test_codes_that_are_not_text(option: str, given: Any) -> None:
    call: Any = openptx.check
    said = refused(ArgumentError, lambda: call(TEXT, **{option: given}))
    assert said == f'`{option}` is a list of codes or names, such as ["PTX03", "unused"], not {given!r}'


def test_an_unknown_code() -> None:
    said = refused(ArgumentError, lambda: openptx.check(TEXT, select=["PTX9999"]))
    assert said == "no code `PTX9999`: write a code like PTX0312, its beginning like PTX03, or its name"


@pytest.mark.parametrize("shape", [-1, (2, -1), "a", 2.5, 10**30], ids=str)
def test_shapes_of_no_array(shape: Any) -> None:
    said = refused(ArgumentError, lambda: openptx.empty(shape))
    assert said == f"the shape is a number of elements from 0, or a tuple of them, not {shape!r}"


@pytest.mark.parametrize("dtype", ["f33", 5, object], ids=str)
def test_types_of_no_array(dtype: Any) -> None:
    said = refused(ArgumentError, lambda: openptx.empty(3, dtype))
    assert repr(dtype) in said
    assert said.endswith("such as numpy.float32")


@pytest.mark.parametrize("given", [{1: 2}, {}, {1, 2}, b"1", "1"], ids=str)
def test_extents_without_an_order(given: Any) -> None:
    launch: Any = openptx.load(TEXT)["scale"]
    assert refused(ArgumentError, lambda: launch(given, 1, (4, X))) == (
        f"the grid is one to three integers, not {given!r}"
    )
    assert "the block is one to three integers" in refused(ArgumentError, lambda: launch[1, given](4, X))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"blocks": [{0: 1}]}, "a block is one to three numbers from 0, not {0: 1}"),
        ({"threads": [None]}, "a thread is one to three numbers from 0, not None"),
    ],
    ids=str,
)
def test_positions_without_an_order(options: dict[str, Any], said: str) -> None:
    kernel = openptx.load(TEXT)["scale"]
    assert refused(ArgumentError, lambda: openptx.trace(kernel, 1, 32, (4, X), **options)) == said
    openptx.trace(kernel, 1, 32, (4, X), blocks=[0, [0], np.zeros(2, np.int64)])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tools": 5}, "no tool `5`: choose all, or of race, init, sync, mem"),
        ({"tools": ["race", 5]}, "no tool `5`: choose all, or of race, init, sync, mem"),
        ({"schedules": "a"}, "`schedules` is a whole number from 1, not 'a'"),
    ],
    ids=str,
)
def test_options_of_the_sanitizer(options: dict[str, Any], said: str) -> None:
    kernel = openptx.load(TEXT)["scale"]
    assert refused(ArgumentError, lambda: openptx.sanitize(kernel, 1, 32, (4, X), **options)) == said


@pytest.mark.parametrize(("function", "what"), [("extract", "a program"), ("replay", "a recording")])
def test_a_number_for_a_file(function: str, what: str) -> None:
    said = refused(ArgumentError, lambda: getattr(openptx, function)(5))
    assert said.startswith(f"{what} is a path or ")
    assert said.endswith("not int")


def test_the_name_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kernels").mkdir()
    monkeypatch.chdir(tmp_path)
    options: Any
    for options in ({}, {"select": ["PTX"]}, {"max_errors": 1}):
        first = openptx.check("kernels", **options)[0]
        assert first.help == (
            "`kernels` is a folder, and one file or its text is checked: write the path of the file in it"
        )
    assert "folder" not in str(openptx.check("kernel")[0].help)


def test_a_misspelt_function() -> None:
    front: Any = openptx
    with pytest.raises(AttributeError) as found:
        front.lod("x.ptx")
    assert (found.value.name, found.value.obj) == ("lod", openptx)  # for which Python suggests `load`
