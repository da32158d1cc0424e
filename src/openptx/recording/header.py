"""The first line of a recording: the launch, and the layout of the bytes that follow. docs/recordings.md describes
it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from openptx.errors import InputError

VERSION = 2
LONGEST = 64 << 20
"""The maximum length of the line in bytes: a file of another kind may be one endless line."""
LARGEST = 1 << 48
"""The maximum size of an allocation in bytes: no GPU has more addresses."""


@dataclass(frozen=True, slots=True)
class RegionHeader:
    """One allocation: its address and size, whether the file has its bytes after the launch, whether to compare them,
    and the name of the module's variable that lies there, "" for none."""

    address: int
    size: int
    changed: bool = True
    compared: bool = True
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """A recording without its bytes. `parameters` are (offset, bytes); `ptx` names a file next to the recording, "" if
    the text follows the memory, with `text` bytes. `target` is the GPU's, "" for unknown."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared: int
    cluster: tuple[int, ...]
    parameters: tuple[tuple[int, bytes], ...]
    regions: tuple[RegionHeader, ...]
    ptx: str
    text: int
    device: str
    target: str
    left_out: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """Bytes that follow the line."""
        return sum(r.size * (2 if r.changed else 1) for r in self.regions) + self.text

    def line(self) -> bytes:
        """The line, in the newest version of the format."""
        data = {
            "version": VERSION, "kernel": self.kernel, "grid": self.grid, "block": self.block, "shared": self.shared,
            "cluster": self.cluster,
            "params": [[offset, len(content), content.hex()] for offset, content in self.parameters],
            "allocs": [[r.address, r.size] for r in self.regions],
            "changed": [r.changed for r in self.regions], "compare": [r.compared for r in self.regions],
            "symbols": {r.symbol: i for i, r in enumerate(self.regions) if r.symbol},
            "left_out": self.left_out, "ptx": self.ptx, "text": self.text, "device": self.device,
            "target": self.target,
        }  # fmt: skip
        return json.dumps(data).encode() + b"\n"


class Fields:
    """The members of the object, each of the requested type; InputError if one is missing or has another type."""

    def __init__(self, name: str, line: bytes) -> None:
        self.name = name
        try:
            data: object = json.loads(line)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict) or "allocs" not in data or "kernel" not in data:
            raise self.wrong(
                "it is not a recording of a launch: its first line is not a JSON object with `kernel`, `allocs`"
            )
        self.data = cast("dict[str, Any]", data)

    def wrong(self, what: str) -> InputError:
        return InputError(f"{self.name}: {what}")

    def get(self, key: str, kind: type[Any], default: Any = None) -> Any:
        found = self.data.get(key, default)
        if found is None or not isinstance(found, kind) or (kind is int and (isinstance(found, bool) or found < 0)):
            what = "is missing" if key not in self.data else f"is {found!r}"
            raise self.wrong(f"`{key}` of the recording {what}, not {WORDS[kind]}")
        return found

    def numbers(self, key: str, most: int) -> tuple[int, ...]:
        """A list of up to `most` numbers from 0 on."""
        found = self.get(key, list)
        if not is_numbers(found) or len(found) > most:
            raise self.wrong(f"`{key}` of the recording is {found!r}, not a list of up to {most} whole numbers")
        return tuple(found)

    def booleans(self, key: str, count: int) -> list[bool]:
        """A list with one element for each allocation, by default all true."""
        found = self.get(key, list, [True] * count)
        if len(found) != count or not all(isinstance(flag, bool) for flag in found):
            raise self.wrong(f"`{key}` of the recording is not true or false for each of {count} allocations")
        return found


WORDS: dict[type[Any], str] = {int: "a whole number", str: "text", list: "a list", dict: "an object"}


def is_numbers(found: object) -> bool:
    """Whether a value is a list of numbers from 0 on."""
    items = cast("list[object]", found)
    return isinstance(found, list) and all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in items)


def read_header(name: str, line: bytes) -> Header:
    """The header in a line. Raises InputError for another line and for newer versions; its message begins with
    `name`."""
    fields = Fields(name, line)
    version = fields.get("version", int, 1)
    if not 1 <= version <= VERSION:
        newest = f"this OpenPTX reads versions 1 to {VERSION}"
        raise fields.wrong(f"the recording is of version {version} of the format, and {newest}; install a newer one")
    text = fields.get("text", int, 0)
    return Header(
        fields.get("kernel", str),
        fields.numbers("grid", 3),
        fields.numbers("block", 3),
        fields.get("shared", int, 0),
        fields.numbers("cluster", 3),
        parameters(fields),
        regions(fields),
        fields.get("ptx", str, "" if text else None),
        text,
        fields.get("device", str, ""),
        fields.get("target", str, ""),
        pairs(fields, "left_out", []),
    )


def pairs(fields: Fields, key: str, default: Sequence[object] | None = None) -> tuple[tuple[int, int], ...]:
    """A list of (address, bytes)."""
    found = fields.get(key, list, default)
    if not all(is_numbers(pair) and len(pair) == 2 and sum(pair) <= 1 << 64 and pair[1] <= LARGEST for pair in found):
        raise fields.wrong(f"`{key}` of the recording is not a list of [address, bytes]")
    return tuple((address, size) for address, size in found)


def parameters(fields: Fields) -> tuple[tuple[int, bytes], ...]:
    """The parameters, each as its offset and its bytes."""
    found: list[tuple[int, bytes]] = []
    for entry in fields.get("params", list):
        try:
            offset, size, digits = entry
            content = bytes.fromhex(digits)
        except (TypeError, ValueError):
            raise fields.wrong(f"a parameter of the recording is {entry!r}, not [offset, bytes, hexadecimal]") from None
        if not is_numbers([offset, size]) or size != len(content) or offset + size > 1 << 20:
            raise fields.wrong(f"a parameter of the recording is {entry!r}: its bytes are not {size!r}")
        found.append((offset, content))
    return tuple(found)


def regions(fields: Fields) -> tuple[RegionHeader, ...]:
    """The allocations, which must not overlap."""
    places = pairs(fields, "allocs")
    changed, compared = fields.booleans("changed", len(places)), fields.booleans("compare", len(places))
    symbols: dict[Any, str] = {}
    for name, number in fields.get("symbols", dict, {}).items():
        if not is_numbers([number]) or number >= len(places) or number in symbols:
            raise fields.wrong(f"`symbols` of the recording has {number!r} for `{name}`, not an allocation of its own")
        symbols[number] = name
    ordered = sorted(places)
    for (address, size), (after, _) in pairwise(ordered):
        if address + size > after:
            raise fields.wrong(f"allocations of the recording overlap: at 0x{address:x} ({size} bytes) and 0x{after:x}")
    return tuple(
        RegionHeader(address, size, changed[i], compared[i], symbols.get(i, ""))
        for i, (address, size) in enumerate(places)
    )
