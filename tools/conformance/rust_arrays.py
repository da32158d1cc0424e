"""Array literals of Rust as bytes: the format of the tables in ZLUDA's tests."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

TYPES = {
    "u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32, "i32": np.int32,
    "u64": np.uint64, "i64": np.int64, "f32": np.float32, "f64": np.float64, "f16": np.float16,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?P<sign>-?)(?P<digits>0x[0-9A-Fa-f_]+?|0b[01_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)_*(?P<type>[uif](?:8|16|32|64))?"
)
_CALL = re.compile(r"(?:half::)?(?P<type>[uif]\d+)::from_(?P<kind>bits|f32|f64)\((?P<value>.*)\)")
_CONSTANT = re.compile(
    r"(?:std::)?(?:half::)?(?P<type>[uif]\d+)::(?P<name>NAN|INFINITY|NEG_INFINITY|MAX|MIN|max_value\(\)|consts::PI)"
    r"(?P<bits>\.to_bits\(\))?(?: / (?P<divisor>\d+)f32)?"
)
_FLOATS = {"NAN": math.nan, "INFINITY": math.inf, "NEG_INFINITY": -math.inf, "consts::PI": math.pi}
Value = tuple[str, int | float, bool]
"""A type (empty where the literal leaves it to others), a value, and whether that is the bits."""


def array(text: str) -> NDArray[np.uint8]:
    """`[1u32, 2, 0x3F]` as bytes. The first element with a type gives that of all. Raises ValueError."""
    text = re.sub(r"//[^\n]*", "", text).strip()
    values = [element(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    kind = next((t for t, _, _ in values if t), "")
    if not kind:
        kind = "f64" if any(isinstance(v, float) for _, v, _ in values) else "i32"
    return np.concatenate([encoded(kind, value, bits) for _, value, bits in values])


def encoded(kind: str, value: float, bits: bool) -> NDArray[np.uint8]:
    dtype = np.dtype(TYPES[kind])
    if bits or dtype.kind in "ui":
        return np.frombuffer((int(value) & (1 << 8 * dtype.itemsize) - 1).to_bytes(dtype.itemsize, "little"), np.uint8)
    return np.array([value], dtype).view(np.uint8)


def element(text: str) -> Value:
    if match := _CALL.fullmatch(text):
        value = element(match["value"])[1]
        return match["type"], value, match["kind"] == "bits"
    if match := _CONSTANT.fullmatch(text):
        return constant(match)
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(f"not understood: {text}")
    digits = match["digits"].replace("_", "")
    number = float(digits) if "." in digits else int(digits, 0 if digits.startswith(("0x", "0b")) else 10)
    kind = match["type"] or ""
    if kind.startswith("f"):
        number = float(number)
    return kind, -number if match["sign"] else number, False


def constant(match: re.Match[str]) -> Value:
    kind, name = match["type"], match["name"]
    if kind.startswith("f"):
        value = _FLOATS[name] / int(match["divisor"] or 1)
        if match["bits"]:
            return f"u{kind[1:]}", int.from_bytes(np.array([value], TYPES[kind]).tobytes(), "little"), True
        return kind, value, False
    width, signed = int(kind[1:]), kind[0] == "i"
    if name == "MIN":
        return kind, -(1 << width - 1) if signed else 0, False
    return kind, (1 << width - signed) - 1, False
