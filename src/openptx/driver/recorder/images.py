"""Images that the program has loaded, their PTX, and their kernels."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from openptx.driver.calls import Failure
from openptx.driver.modules.images import ptx_beside, ptx_of
from openptx.errors import Error
from openptx.reading import read
from openptx.runtime import LoadedModule, load
from openptx.source import File


@dataclass(eq=False)
class Image:
    """A loaded image: `ptx` is its text, or `why` says that there is none."""

    digest: str
    ptx: str = ""
    why: str = ""
    _module: LoadedModule | None = field(default=None, repr=False)

    def module(self) -> LoadedModule:
        """Raises CheckError for invalid PTX."""
        if self._module is None:
            self._module = load(File("<module>", self.ptx))
        return self._module


@dataclass(eq=False)
class LoadedImage:
    """A CUmodule or a CUlibrary: `variables` is the entry point that finds variables in it."""

    image: Image
    handle: int
    variables: str


@dataclass(eq=False)
class KernelHandle:
    """A CUfunction or a CUkernel."""

    loaded: LoadedImage
    name: str


class Images:
    """The images that the program has loaded, by handle."""

    def __init__(self) -> None:
        self.modules: dict[int, LoadedImage] = {}
        self.kernels: dict[int, KernelHandle] = {}
        self.linking: dict[int, list[File]] = {}
        self.linked: dict[str, str] = {}
        """PTX by the digest of the linker's result for it."""
        self.known: dict[str, Image] = {}

    def of(self, data: bytes, capability: int) -> Image:
        """The image from some bytes, for a device of that compute capability."""
        digest = digest_of(data)
        if digest not in self.known:
            made = Image(digest, self.linked.get(digest, ""))
            if not made.ptx:
                try:
                    made.ptx = ptx_of(data, capability)
                except (Failure, Error) as failure:
                    made.ptx = ptx_beside(data) or ""
                    made.why = "" if made.ptx else getattr(failure, "why", "") or str(failure)
            self.known[digest] = made
        return self.known[digest]


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data.rstrip(b"\0")).hexdigest()


def given_ptx(paths: str, separator: str) -> list[Image]:
    """The files that the user gave for images without PTX."""
    return [Image(path, read(path).text) for path in paths.split(separator) if path]
