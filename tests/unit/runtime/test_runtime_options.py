"""Invalid options of a launch, of load and of check are refused by name before anything runs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.errors import ArgumentError, CheckError, Fault
from openptx.runtime import Kernel, load

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 p) {
    .reg .b64 a;
    .reg .b32 n;
    ld.param.u64 a, [p];
    ld.global.u32 n, [a];
    add.u32 n, n, 1;
    st.global.u32 [a], n;
    ret;
}
"""


@pytest.fixture
def kernel() -> Kernel:
    return load(TEXT)["count"]


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(
    "options",
    [
        {"workers": 0}, {"workers": -1}, {"workers": 1.5}, {"workers": True},
        {"timeout": 0}, {"timeout": -1}, {"timeout": float("nan")}, {"timeout": "1"},
        {"since": float("nan")}, {"since": "1"},
        {"max_instructions": 0}, {"max_instructions": 1.5},
        {"shared_mem": -1}, {"shared_mem": 1.5}, {"shared_mem": None}, {"shared_mem": 1 << 30},
    ],
    ids=str,
)  # fmt: skip
def test_options_without_a_meaning(kernel: Kernel, options: dict[str, Any], engine: str) -> None:
    with pytest.raises(ArgumentError, match=next(iter(options)).replace("shared_mem", "shared memory")):
        kernel(1, 1, (np.zeros(1, np.uint32),), engine=engine, **options)


@pytest.mark.parametrize("arguments", [None, np.zeros(1, np.uint32), {}, 3, "x"], ids=repr)
def test_arguments_that_lack_their_tuple(kernel: Kernel, arguments: Any) -> None:
    with pytest.raises(ArgumentError, match="tuple"):
        kernel(1, 1, arguments)


def test_arguments_may_come_one_after_the_other(kernel: Kernel) -> None:
    memory = np.zeros(1, np.uint32)
    kernel(1, 1, (each for each in [memory]))
    assert memory[0] == 1


def test_text_is_taken_as_string_bytes_or_path(tmp_path: Path) -> None:
    path = tmp_path / "count.ptx"
    path.write_text(TEXT)
    for source in (TEXT, TEXT.encode() + b"\0", bytearray(TEXT, "utf-8"), path, str(path)):
        assert load(source).kernels == ("count",)
    wrong = TEXT.replace("add.u32", "ad.u32")
    path.write_text(wrong)
    assert [d.code for d in openptx.check(wrong.encode())] == [d.code for d in openptx.check(path)] == ["PTX0302"]
    assert openptx.check(path)[0].file.name == str(path)
    assert str(openptx.parse(path)) == wrong
    with pytest.raises(CheckError):
        load(b"count.ptx")  # bytes are text, and these are not


@pytest.mark.parametrize("take", [load, openptx.check, openptx.parse])
@pytest.mark.parametrize("source", [None, 3, {"x": 1}], ids=repr)
def test_what_is_no_text(take: Any, source: Any) -> None:
    with pytest.raises(ArgumentError, match="text"):
        take(source)


def test_targets_and_profiles_that_there_are_not() -> None:
    with pytest.raises(ArgumentError, match=r"no target `sm_90x`: did you mean sm_90\?"):
        openptx.check(TEXT, target="sm_90x")
    with pytest.raises(ArgumentError, match="no target `nonsense`, such as"):
        load(TEXT, target="nonsense")
    with pytest.raises(ArgumentError, match="no profile"):
        openptx.check(TEXT, profile="gcc")
    assert openptx.check(TEXT, target="sm_90a") == []


class Tensor:
    """What torch's tensors on the CPU are to us: DLPack, of the first version unless asked for a later one."""

    def __init__(self, array: Any, *, versions: bool, device: int = 1) -> None:
        self.array, self.versions, self.device = array, versions, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0

    def __dlpack__(self, **options: Any) -> object:
        return self.array.__dlpack__(**(options if self.versions else {}))


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("versions", [True, False])
def test_dlpack_is_written_in_place(kernel: Kernel, engine: str, versions: bool) -> None:
    memory = np.zeros(1, np.uint32)
    tensor = Tensor(memory, versions=versions)
    for _ in range(2):
        kernel(1, 1, (tensor,), engine=engine)
    assert memory[0] == 2


def test_dlpack_that_says_read_only_and_that_is_elsewhere(kernel: Kernel) -> None:
    memory = np.zeros(1, np.uint32)
    with pytest.raises(ArgumentError, match="not in the memory of the CPU"):
        kernel(1, 1, (Tensor(memory, versions=True, device=2),))
    memory.flags.writeable = False
    with pytest.raises(Fault, match="may only be read"):
        kernel(1, 1, (Tensor(memory, versions=True),))


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_null_pointers_are_called_so(kernel: Kernel, engine: str) -> None:
    for nothing in (None, 0, np.zeros(0, np.uint32)):
        with pytest.raises(Fault) as caught:
            kernel(1, 1, (nothing,), engine=engine)
        assert caught.value.nearest == "none: this is the null pointer"


@pytest.mark.parametrize("blocks", [5, (0,), (0, 3), (1, 1), (-1, 1), (0, 0.5), "ab", (0, 1, 2)])
def test_blocks_that_are_no_part_of_the_grid(blocks: Any) -> None:
    kernel = load(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }")["k"]
    kernel(2, 1, (), blocks=(1, 2))
    with pytest.raises(ArgumentError, match="cannot be run alone"):
        kernel(2, 1, (), blocks=blocks)


HUGE = 10**5000  # more digits than Python writes: they were a ValueError


@pytest.mark.parametrize(
    ("grid", "block", "options", "text"),
    [
        (HUGE, 1, {}, "the grid's x is 1 to 2147483647, not an integer of thousands of digits"),
        (1, (1, -HUGE), {}, "the block's y is 1 to 1024, not an integer of thousands of digits"),
        (1, [HUGE] * 4, {}, "the block is one to three integers, not list"),
        (1, [7] * 1000, {}, "the block is one to three integers, not [7, 7, 7"),
        (1, 1, {"shared_mem": HUGE}, "dynamic shared memory is 0 to 232448 bytes, not an integer"),
        (1, 1, {"timeout": HUGE}, "`timeout` is a number of seconds above 0, not an integer"),
    ],
    ids=["grid", "block", "four", "thousand", "shared", "timeout"],
)
def test_values_too_long_for_a_message(
    kernel: Kernel, grid: Any, block: Any, options: dict[str, Any], text: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        kernel(grid, block, (np.zeros(1, np.uint32),), **options)
    assert str(caught.value).startswith(text)
    assert len(str(caught.value)) < 200


def test_numbers_too_long_for_a_message(kernel: Kernel) -> None:
    with pytest.raises(
        ArgumentError, match=r"takes -9223372036854775808 to \d+, not an integer of thousands of digits"
    ):
        kernel(1, 1, (HUGE,))
