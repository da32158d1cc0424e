"""Writes one launch into a file: memory before it, memory after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from openptx.device.allocation import Bytes
from openptx.driver.execution.launches import Shape
from openptx.driver.recorder.images import KernelHandle
from openptx.driver.recorder.session import Session
from openptx.driver.recorder.settings import MIB
from openptx.driver.results import Result
from openptx.recording.addresses import aligned
from openptx.recording.file import Recording, Region, write_recording
from openptx.recording.tensor_maps import with_our_maps
from openptx.runtime import Kernel
from openptx.source import File

LEAST = 1 << 12
"""Device memory never begins below this address; numbers in parameters are often smaller."""


class TooLarge(Exception):
    """The launch can access more memory than the limit."""


class Place(NamedTuple):
    """Recorded memory: `symbol` is the variable it belongs to, "" for none."""

    address: int
    before: Bytes
    symbol: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """A launch that has not started. `left_out` are allocations, (address, bytes), that exceeded the limit."""

    known: KernelHandle
    kernel: Kernel
    shape: Shape
    parameters: bytes
    places: list[Place]
    left_out: list[tuple[int, int]]

    @classmethod
    def of(cls, session: Session, known: KernelHandle, kernel: Kernel, shape: Shape, parameters: bytearray) -> Before:
        """Reads the memory that the launch can access. Raises TooLarge."""
        reach = Reach(session, kernel.name)
        reach.variables(known, kernel)
        reach.add_pointee(np.frombuffer(parameters, np.uint8))
        left_out = list(reach.followed())
        data = ours(session, np.frombuffer(bytearray(parameters), np.uint8)).tobytes()
        return cls(known, kernel, shape, data, reach.places, left_out)

    def recording(self, session: Session, name: str, after: Iterable[Bytes], compared: bool, device: str) -> Recording:
        shape, values = self.shape, self.parameters
        regions = (
            Region(place.address, ours(session, place.before), ours(session, new), compared, place.symbol)
            for place, new in zip(self.places, after, strict=True)
        )
        made = Recording(
            name, self.kernel.name, shape.grid, shape.block, shape.shared, shape.cluster or (),
            tuple((p.offset, values[p.offset : p.offset + p.size]) for p in self.kernel.parameters),
            tuple(regions), device, f"sm_{session.capability}", tuple(self.left_out),
            File("<module>", self.known.loaded.image.ptx),
        )  # fmt: skip
        return with_our_maps(made)


class Reach:
    """Finds memory starting from the parameters, by words that are addresses, within a limit of bytes."""

    def __init__(self, session: Session, kernel: str) -> None:
        self.session, self.kernel = session, kernel
        self.left = session.settings.limit * MIB
        self.places: list[Place] = []
        self.taken: set[int] = set()

    def variables(self, known: KernelHandle, kernel: Kernel) -> None:
        """Adds the module's variables that the real driver finds by name."""
        real, loaded = self.session.real, known.loaded
        for name, variable in kernel.module.program.variables.items():
            if variable.space in ("global", "const") and variable.linkage != "extern" and variable.size:
                held = np.frombuffer(name.encode() + b"\0", np.uint8)
                where = real.pair(loaded.variables, loaded.handle, held.ctypes.data)
                if where is not None and where[1] == variable.size:
                    self.take(*where, name)
                elif kernel.module.program.file.text.count(name) > 1:
                    self.session.warn_once(f"variable `{name}` is not visible: recordings have its initial value")

    def add_pointee(self, parameters: Bytes) -> None:
        """The allocation that a parameter points to. The real driver is asked if it is unknown."""
        words, known = np.unique(aligned(0, parameters)), self.session.allocations
        for word in words.tolist():
            if word >= LEAST and not known.containing(np.array([word], np.uint64)):
                found = self.session.real.pair("cuMemGetAddressRange_v2", word)
                if found is not None:
                    known.add(*found)
        for address in known.containing(words):
            self.take(address, known.sizes[address])

    def take(self, address: int, size: int, symbol: str = "") -> None:
        if address in self.taken:
            return
        if size > self.left:
            limit = self.session.settings.limit
            raise TooLarge(f"a launch of kernel `{self.kernel}` is not recorded: it reaches {size:,} bytes at "
                           f"0x{address:x}, and more than {limit} MiB together (--limit)")  # fmt: skip
        self.taken.add(address)
        data = self.session.real.read(address, size)
        if data is None:
            self.session.allocations.remove(address)
            return
        self.left -= size
        self.places.append(Place(address, data, symbol))

    def followed(self) -> Iterator[tuple[int, int]]:
        """Adds the targets of pointers in memory, and yields those that are too large, (address, bytes)."""
        known, done = self.session.allocations, 0
        while done < len(self.places):
            place = self.places[done]
            done += 1
            for address in known.containing(aligned(place.address, place.before)):
                size = known.sizes[address]
                if size > self.left and address not in self.taken:
                    self.taken.add(address)
                    yield address, size
                else:
                    self.take(address, size)


def ours(session: Session, data: Bytes) -> Bytes:
    """Bytes with the real driver's tensor maps replaced by OpenPTX's."""
    if not session.tensor_maps:
        return data
    content = data.tobytes()
    for theirs, map_of_ours in session.tensor_maps.items():
        content = content.replace(theirs, map_of_ours)
    return np.frombuffer(bytearray(content), np.uint8)


class UnfinishedFile:
    """A file with the state before the launch, which exists even if the program never returns from it."""

    def __init__(self, session: Session, before: Before, path: Path, recording: Recording) -> None:
        self.session, self.before, self.path, self.recording = session, before, path, recording

    @classmethod
    def begin(cls, session: Session, before: Before) -> UnfinishedFile:
        """Raises OSError if the file cannot be written."""
        path = session.place(before.kernel.name)
        old = [place.before for place in before.places]
        made = before.recording(session, str(path), old, False, f"{session.device}; the launch did not end")
        write_recording(made, path)
        return cls(session, before, path, made)

    def finish(self) -> None:
        """Also writes the memory after the launch."""
        read = self.session.real.read
        after = [read(place.address, place.before.size) for place in self.before.places]
        new = [a if a is not None else place.before for a, place in zip(after, self.before.places, strict=True)]
        made = self.before.recording(self.session, str(self.path), new, True, self.session.device)
        gone = tuple(replace(r, compared=a is not None) for r, a in zip(made.regions, after, strict=True))
        write_recording(replace(made, regions=gone), self.path)
        self.session.wrote(self.path)

    def failed(self, result: int) -> None:
        """The launch ended the context, so nothing can be read any more."""
        name = next((known.full_name for known in Result if known.value == result), f"error {result}")
        made = replace(self.recording, device=f"{self.session.device}; the launch ended with {name}")
        write_recording(made, self.path)
        self.session.wrote(self.path)
        self.session.warn_once(f"kernel `{made.kernel}` ended with {name}: {self.path} has the memory before it")

    def discard(self) -> None:
        """Removes the file, because the driver refused the launch."""
        self.path.unlink(missing_ok=True)
