"""Links several images into one, which is PTX again: the program treats it as machine code and loads it."""

from __future__ import annotations

import ctypes
from pathlib import Path

from openptx.api import check
from openptx.driver.calls import LOG, Failure, in_context, invalid, put, text, unsupported
from openptx.driver.devices.contexts import Context
from openptx.driver.modules.device_queries import device_queries
from openptx.driver.modules.images import ptx_of
from openptx.driver.modules.jit_options import JitOptions, refusal
from openptx.driver.modules.module import content
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result
from openptx.errors import CheckError, InputError
from openptx.fatbin import extract
from openptx.linking import device_runtime, is_device_runtime, link_files
from openptx.source import File

PTX, FATBINARY, LIBRARY, NVVM = 1, 2, 4, 5
"""Values of CUjitInputType. The other types may also contain PTX."""


class Linking(Object):
    """The images added so far, and the result, which lives as long as the linker."""

    what = "linker"

    def __init__(self, options: JitOptions) -> None:
        super().__init__()
        self.options = options
        self.files: list[File] = []
        self.result: ctypes.Array[ctypes.c_char] | None = None

    def add(self, kind: int, data: bytes, name: str) -> None:
        """Adds an image. Libraries without PTX are ignored: NVIDIA's device runtime is built in. Fails for LTO IR, and
        for PTX with errors."""
        if kind == NVVM:
            raise unsupported(f"{name}: LTO IR, which only NVIDIA's nvJitLink reads: link it there")
        if kind in (LIBRARY, FATBINARY) and has_device_runtime(data):
            LOG.info("%s is not linked: the device runtime is built in", name)
        elif kind == LIBRARY:
            try:
                self.files += (File(name, extracted.text) for extracted in extract(data))
            except InputError as error:
                LOG.info("%s is not linked: %s", name, error)
        else:
            file = File(name, ptx_of(data))
            self._require_correct(file)
            self.files.append(file)

    def _require_correct(self, file: File) -> None:
        """Fails for errors in an image, which a driver compiles when it is added."""
        errors = [found for found in check(file) if found.severity == "error"]
        if errors:
            raise refusal(CheckError(errors), self.options, f"{file.name} cannot be compiled")

    def complete(self) -> ctypes.Array[ctypes.c_char]:
        """The linked PTX with a terminating zero. Fails for errors in the images or between them."""
        if self.result is None:
            try:
                files = [*self.files, *device_queries(self.files, driver().capability)]
                alone = len(files) == 1 and not device_runtime(files)
                linked = files[0] if alone else link_files(files)
            except CheckError as error:
                raise refusal(error, self.options, "the images cannot be linked") from None
            self.options.report("")
            text = self.options.limited(linked.text)
            self.result = ctypes.create_string_buffer(text.encode("utf-8", "surrogateescape"))
        return self.result


def has_device_runtime(data: bytes) -> bool:
    """Whether the PTX of an image, for any device, is NVIDIA's device runtime: some releases of libcudadevrt.a contain
    PTX that needs more than a driver's linker provides."""
    try:
        return all(is_device_runtime(found.text) for found in extract(data))
    except InputError:  # no PTX
        return False


@in_context("cuLinkCreate", "cuLinkCreate_v2")
def create(context: Context, count: int, options: int, values: int, out: int) -> None:
    put(out, 0)
    put(out, context.own(Linking(JitOptions(count, options, values))).handle)


@in_context("cuLinkAddData", "cuLinkAddData_v2")
def add_data(context: Context, linking: Linking, kind: int, data: int, size: int, name: int, *options: int) -> None:
    if not data or not size:
        raise invalid("the image is null, or has no bytes")
    called = text(name, "the name") if name else f"<image {len(linking.files)}>"
    linking.add(kind, ctypes.string_at(data, size), called)


@in_context("cuLinkAddFile", "cuLinkAddFile_v2")
def add_file(context: Context, linking: Linking, kind: int, path: int, *options: int) -> None:
    name = text(path, "the path")
    linking.add(kind, content(name), Path(name).name)


@in_context("cuLinkComplete")
def complete(context: Context, linking: Linking, image: int, size: int) -> None:
    if not linking.files:
        raise Failure(Result.INVALID_IMAGE, "nothing was added that could be linked")
    result = linking.complete()
    put(image, ctypes.addressof(result))
    if size:
        put(size, len(result))


@in_context("cuLinkDestroy")
def destroy(context: Context, linking: Linking) -> None:
    context.disown(linking)
