"""Arrays that differ only in length from an accepted one are declared without parsing them in full."""

from __future__ import annotations

import pytest

from openptx.check import check
from openptx.source import File

HEAD = ".version 9.0\n.target sm_80\n.address_size 64\n"


def found(outside: str, inside: str = "") -> list[tuple[str, str]]:
    """The findings, and the texts of their places."""
    text = f"{HEAD}{outside}.visible .entry k()\n{{\n.reg .b32 %r<3>;\n.reg .b64 %a<3>;\n{inside}ret;\n}}\n"
    return [(d.name, text[d.span[0] : d.span[1]]) for d in check(File("k.ptx", text))]


@pytest.mark.parametrize("space", ["global", "shared", "const", "local"])
def test_a_place_beyond_the_end_is_found_whatever_came_before(space: str) -> None:
    ends = "".join(f"ld.{space}.b32 %r1, [x{n}+{4 * n - 4 + more}];\n" for n in (3, 50, 7) for more in (0, 4))
    others = f".{space} .align 4 .b32 y[9];\n.{space} .align 4 .b32 z[2];\n"
    arrays = "".join(f".{space} .align 4 .b32 x{n}[{n}];\n" for n in (3, 50, 7))
    before, after = (found("", others + arrays + ends), found("", arrays + ends)) if space == "local" else (
        found(others + arrays, ends), found(arrays, ends)
    )  # fmt: skip
    assert before == after
    if space in ("local", "shared"):
        assert {place for _, place in before} == {f"[x{n}+{4 * n}]" for n in (3, 50, 7)}


def test_constant_memory_is_counted() -> None:
    lengths = [100, 20_000, 300, 20_000, 25_100, 36, 400, 7]
    assert sum(lengths[:6]) == 0x10000
    arrays = "".join(f".const .align 4 .b8 x{number}[{length}];\n" for number, length in enumerate(lengths))
    assert found(arrays) == [("too-much-memory", "x6")]


def test_shared_memory_is_counted() -> None:
    lengths = [8, 0x4000, 0x4000, 0x3FF0]
    arrays = [f".shared .align 4 .b8 x{number}[{length}];\n" for number, length in enumerate(lengths)]
    assert found("", "".join(arrays)) == []
    assert [name for name, _ in found("", "".join(arrays) + ".shared .align 4 .b8 y[9];\n")] == ["too-much-memory"]


def test_arrays_that_are_wrong_are_found_after_right_ones() -> None:
    right = "".join(f".global .align 1 .b8 x{n}[{n}] = {{1, 2}};\n" for n in (2, 5, 300))
    assert found(right) == []
    assert [name for name, _ in found(right + ".global .align 1 .b8 y[1] = {1, 2};\n")] == ["initializer"]
    assert [name for name, _ in found(right + ".global .align 1 .b8 y[0];\n")] == ["array-size"]
    assert [name for name, _ in found(right + ".global .align 1 .b8 x2[7] = {1, 2};\n")] == ["duplicate-name"]
