"""What `check`, `load`, `convert` and launches take as text, names and numbers, and what they say of the rest."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.errors import ArgumentError, CheckError

TEXT = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"


def test_any_bytes_are_text() -> None:
    for data in (TEXT.encode(), bytearray(TEXT.encode()), memoryview(TEXT.encode())):
        assert openptx.check(data) == []
        assert list(openptx.load(data).kernels) == ["k"]


def test_an_open_file_is_not_read() -> None:
    for call in (openptx.check, openptx.load):
        with pytest.raises(ArgumentError, match=r"not StringIO: pass what its `read\(\)` returns"):
            call(io.StringIO(TEXT))  # pyright: ignore[reportArgumentType]


def test_a_string_with_a_nul_is_no_path() -> None:
    assert [found.name for found in openptx.check("a\0b.ptx")] == ["not-text"]
    with pytest.raises(CheckError, match="binary data"):
        openptx.load("\0")


@pytest.mark.parametrize("to", [None, np.float16, 16])
def test_a_format_is_a_name(to: Any) -> None:
    with pytest.raises(ArgumentError, match='a number format is a string such as "f16", not'):
        openptx.convert(np.zeros(2, np.float32), to)


def test_an_array_without_dimensions_is_no_grid() -> None:
    with pytest.raises(ArgumentError, match=r"the grid is one to three integers, not array\(1\)"):
        openptx.load(TEXT)["k"](np.array(1), 1)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("call", ["sanitize", "profile", "trace"])
def test_a_launch_is_of_a_kernel(call: str) -> None:
    function: Any = getattr(openptx, call)
    with pytest.raises(ArgumentError, match='is wanted, not LoadedModule: write `module\\["name"\\]`'):
        function(openptx.load(TEXT), 1, 1)
    with pytest.raises(ArgumentError, match="the kernel of a loaded module is wanted, not str"):
        function("k", 1, 1)


def test_kernels_are_proved_equal() -> None:
    prove: Any = openptx.prove
    for a, b in ((openptx.load(TEXT)["k"], None), ("k", openptx.load(TEXT)["k"])):
        with pytest.raises(ArgumentError, match="the kernel of a loaded module is wanted, not"):
            prove(a, b)
