"""Tensor maps of NVIDIA's driver and of Triton's kernels on an H200: decoded and encoded again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from asked_maps import tensor_map

import openptx
from openptx import ArgumentError, TensorMap, Unsupported
from openptx.driver.calls import Failure
from openptx.isa.semantics.tensor_map import INTERLEAVES, SWIZZLES
from openptx.runtime.driver_tensor_map import PROMOTIONS, Columns, decode, encode

RECORDED = json.loads((Path(__file__).parent / "sm_90-13.0-2026-11-26" / "driver_maps.json").read_text())
MADE = [(m["address"], m["map"], bytes.fromhex(m["bytes"])) for m in RECORDED["maps"] if m["bytes"]]
REFUSED = [(m["address"], m["map"]) for m in RECORDED["maps"] if not m["bytes"]]
BY_KERNELS = [bytes.fromhex(text) for text in RECORDED["by_triton_kernels"]]
KINDS = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz"]
"""By CUtensorMapDataType."""


def asked(address: int, given: dict[str, Any]) -> dict[str, Any]:
    """What a map was asked for, in the words of `DriverMap`."""

    def axes(name: str) -> tuple[int, ...]:
        return tuple(given.get(name, ()))[::-1]

    columns = None
    if given["function"] == "cuTensorMapEncodeIm2col":
        columns = Columns(axes("lower"), axes("upper"), given["pixels"], given["channels"])
    return {
        "address": address, "shape": axes("dims"), "strides": axes("strides"), "steps": axes("steps"),
        "element": KINDS[given["kind"]], "box": axes("box"), "columns": columns,
        "swizzle": SWIZZLES[given.get("swizzle", 0)], "interleave": INTERLEAVES[given.get("interleave", 0)],
        "fill": "nan" if given.get("fill") else "zero", "promotion": PROMOTIONS[given.get("promotion", 0)],
        "by_kernel": False,
    }  # fmt: skip


def test_the_bytes_say_what_was_asked_for() -> None:
    assert len(MADE) == 103
    for address, given, content in MADE:
        assert decode(content)._asdict() == asked(address, given)
        assert encode(decode(content)) == content


def test_a_map_of_these_bytes_is_the_one_that_our_driver_makes() -> None:
    for address, given, content in MADE:
        assert TensorMap.from_bytes(content).encoded(address) == tensor_map(given, address), given


def test_our_driver_refuses_what_that_driver_refuses() -> None:
    assert len(REFUSED) == 11
    for address, given in REFUSED:
        with pytest.raises(Failure):
            tensor_map(given, address)


def test_maps_that_kernels_made_lack_what_follows_from_the_rest() -> None:
    assert len(BY_KERNELS) == 18
    shapes = {decode(content).shape for content in BY_KERNELS}
    assert shapes == {(50, 72), (80, 136), (120, 80), (120, 136), (136, 80)}
    for content in BY_KERNELS:
        known = decode(content)
        assert known.by_kernel
        assert known.strides[0] >= known.shape[1]
        assert encode(known) == content
        assert len(TensorMap.from_bytes(content).encoded(known.address)) == 128


@pytest.mark.parametrize("content", [MADE[0][2], MADE[-1][2], BY_KERNELS[0]], ids=["first", "last", "by a kernel"])
def test_a_bit_more_or_less_says_something_else_or_nothing(content: bytes) -> None:
    for bit in range(0, 1024, 7):
        other = (int.from_bytes(content, "little") ^ 1 << bit).to_bytes(128, "little")
        try:
            found = decode(other)
        except (ArgumentError, Unsupported):
            continue
        assert found != decode(content), bit


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "a tensor map has 128 bytes, not 0"),
        (bytes(64), "a tensor map has 128 bytes, not 64"),
        (MADE[0][2] + b"\0", "128 bytes, not 129"),
        (128, "128 bytes, not of int"),
        ("a" * 128, "128 bytes, not of str"),
        (bytes(128), "a row of the box would take 1 elements of .u8"),
        (b"\xff" * 128, "at most 5 axes, and they say 8"),
        (bytes(range(128)), "not a tensor map of CUDA's driver"),
        (MADE[0][2][:100] + b"\1" + bytes(27), "byte 100 is 0x01, where such a map has 0x00"),
    ],
)
def test_other_bytes_are_refused(data: object, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        openptx.TensorMap.from_bytes(data)


def test_elements_that_were_not_measured_are_unsupported() -> None:
    number = int.from_bytes(MADE[0][2], "little") & ~(15 << 71) | 13 << 71
    with pytest.raises(Unsupported, match="elements of code 13"):
        TensorMap.from_bytes(number.to_bytes(128, "little"))


def test_our_own_bytes_are_no_map_of_that_driver() -> None:
    for address, given, _ in MADE:
        with pytest.raises((ArgumentError, Unsupported)):
            TensorMap.from_bytes(tensor_map(given, address))
