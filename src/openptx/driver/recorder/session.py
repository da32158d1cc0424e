"""The state of the recorder in a process: known objects, bytes written, messages printed."""

from __future__ import annotations

import os
import threading
from collections import Counter
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openptx.driver.calls import LOG
from openptx.driver.recorder.images import Image, Images, given_ptx
from openptx.driver.recorder.real import RealDriver
from openptx.driver.recorder.settings import MIB, Settings
from openptx.errors import InputError


class Allocations:
    """Sizes by address; host memory under its device address."""

    def __init__(self) -> None:
        self.sizes: dict[int, int] = {}
        self.hosts: dict[int, int] = {}
        """Device addresses of host memory, by host address."""
        self._sorted: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None

    def add(self, address: int, size: int) -> None:
        if address and size:
            self.sizes[address], self._sorted = size, None

    def remove(self, address: int) -> None:
        if self.sizes.pop(address, None) is not None:
            self._sorted = None

    def containing(self, words: NDArray[np.uint64]) -> list[int]:
        """The addresses of the allocations that contain any of these words as addresses."""
        if self._sorted is None:
            pairs = sorted([*self.sizes.items()])
            self._sorted = np.array([p[0] for p in pairs], np.uint64), np.array([p[1] for p in pairs], np.uint64)
        starts, sizes = self._sorted
        if not starts.size:
            return []
        i = np.searchsorted(starts, words, side="right").astype(np.int64) - 1
        first = np.maximum(i, 0)
        inside = (i >= 0) & (words - starts[first] < sizes[first])
        return starts[np.unique(first[inside])].tolist()


NAME = 60
"""Characters of a kernel's name in a file name."""


class Session:
    """`lock` is held while a launch is recorded, because memory must not change meanwhile."""

    def __init__(self, real: RealDriver, settings: Settings) -> None:
        self.real, self.settings = real, settings
        self.allocations, self.images = Allocations(), Images()
        self.lock = threading.RLock()
        self.seen: Counter[tuple[str, str]] = Counter()
        self.taken: Counter[tuple[str, str]] = Counter()
        self.tensor_maps: dict[bytes, bytes] = {}
        """Our tensor maps by those of the real driver."""
        self.written = 0
        self.ended = False
        self._warned: set[str] = set()
        self._number = 0

    @cached_property
    def capability(self) -> int:
        return self.real.capability()

    @cached_property
    def device(self) -> str:
        return self.real.device()

    @cached_property
    def given(self) -> list[Image]:
        """PTX from the user, for images without PTX."""
        try:
            return given_ptx(self.settings.ptx, os.pathsep)
        except (OSError, InputError) as error:
            self.warn_once(str(error))
            return []

    def warn_once(self, what: str) -> None:
        """Prints a message on stderr, once."""
        if what not in self._warned:
            self._warned.add(what)
            LOG.warning("%s", what)

    def place(self, kernel: str) -> Path:
        """A file for the next recording. Raises OSError if the folder cannot be created."""
        self._number += 1
        folder = Path(self.settings.folder)
        folder.mkdir(parents=True, exist_ok=True)
        safe = "".join(c if c.isalnum() or c in "_-" else "_" for c in kernel)[:NAME]
        return folder / f"{os.getpid()}-{self._number:04}-{safe}.launch"

    def wrote(self, path: Path) -> None:
        """Counts the bytes of a file towards the limit."""
        self.written += path.stat().st_size
        if self.written >= self.settings.total * MIB:
            self.ended = True
            self.warn_once(f"{self.settings.total} MiB of recordings are written: nothing more is recorded (--total)")
