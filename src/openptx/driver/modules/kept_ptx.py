"""The PTX of machine code: some compilers pass only machine code to the driver, and keep the PTX in a file beside
it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


def triton_cache() -> Path:
    """The folder of Triton's cache."""
    chosen = os.environ.get("TRITON_CACHE_DIR")
    return Path(chosen) if chosen else Path(os.environ.get("TRITON_HOME", Path.home())) / ".triton" / "cache"


def kept_cubins() -> Iterator[Path]:
    """Files of machine code that Triton keeps, and CuTe DSL with `CUTE_DSL_KEEP=ptx,cubin`."""
    yield from triton_cache().glob("*/*.cubin")
    if "cubin" in os.environ.get("CUTE_DSL_KEEP", ""):
        yield from Path(os.environ.get("CUTE_DSL_DUMP_DIR") or ".").glob("*.cubin")


def ptx_beside(image: bytes) -> str | None:
    """The PTX that an image's machine code was compiled from, if its compiler keeps a file of that code; else None.

    Triton loads the bytes of the file, CuTe DSL a fat binary that contains them.
    """
    for file in kept_cubins():
        with contextlib.suppress(OSError):  # another process may clear the cache
            if file.stat().st_size <= len(image) and (code := file.read_bytes()) and code in image:
                return file.with_suffix(".ptx").read_text("utf-8")
    return None
