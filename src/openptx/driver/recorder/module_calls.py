"""Calls that load, link and unload images, and find kernels in them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

from openptx.driver.calls import Failure, get, text
from openptx.driver.modules.images import bytes_at, ptx_of
from openptx.driver.recorder.images import KernelHandle, LoadedImage, digest_of
from openptx.driver.recorder.session import Session
from openptx.driver.recorder.wrappers import Passage, around
from openptx.errors import CheckError, InputError
from openptx.linking import link_files
from openptx.source import File


def loads(variables: str, of_data: Sequence[str], of_file: str) -> None:
    """Wraps the entry points that load images of a kind, whose variables another entry point finds."""

    def load_image(session: Session, data: bytes, handle: int) -> None:
        image = session.images.of(data, session.capability)
        session.images.modules[handle] = LoadedImage(image, handle, variables)

    def load_data(session: Session, call: Passage, out: int, image: int, *options: int) -> None:
        data = bytes_at(image) if image else b""
        if call() == 0:
            load_image(session, data, get(out))

    def load_file(session: Session, call: Passage, out: int, path: int, *options: int) -> None:
        if call() == 0:
            load_image(session, Path(text(path, "the path")).read_bytes(), get(out))

    around(*of_data)(load_data)
    around(of_file)(load_file)


loads("cuModuleGetGlobal_v2", ["cuModuleLoadData", "cuModuleLoadDataEx", "cuModuleLoadFatBinary"], "cuModuleLoad")
loads("cuLibraryGetGlobal", ["cuLibraryLoadData"], "cuLibraryLoadFromFile")


@around("cuModuleUnload", "cuLibraryUnload")
def unload(session: Session, call: Passage, handle: int) -> None:
    gone = session.images.modules.pop(handle, None)
    for kernel in [k for k, known in session.images.kernels.items() if known.loaded is gone]:
        del session.images.kernels[kernel]


@around("cuModuleGetFunction", "cuLibraryGetKernel")
def get_function(session: Session, call: Passage, out: int, handle: int, name: int) -> None:
    if call() == 0 and (loaded := session.images.modules.get(handle)) is not None:
        session.images.kernels[get(out)] = KernelHandle(loaded, text(name, "the name"))


@around("cuKernelGetFunction")
def function_of_kernel(session: Session, call: Passage, out: int, handle: int) -> None:
    if call() == 0 and (known := session.images.kernels.get(handle)) is not None:
        session.images.kernels[get(out)] = known


@around("cuLibraryGetModule")
def module_of_library(session: Session, call: Passage, out: int, handle: int) -> None:
    if call() == 0 and (known := session.images.modules.get(handle)) is not None:
        session.images.modules[get(out)] = LoadedImage(known.image, get(out), "cuModuleGetGlobal_v2")


@around("cuModuleEnumerateFunctions", "cuLibraryEnumerateKernels")
def enumerate_functions(session: Session, call: Passage, out: int, count: int, handle: int) -> None:
    loaded = session.images.modules.get(handle)
    if call() or loaded is None:
        return
    symbol = "cuKernelGetName" if loaded.variables == "cuLibraryGetGlobal" else "cuFuncGetName"
    for i in range(count):
        kernel = get(out + 8 * i)
        name = session.real.ask(symbol, kernel)
        if name:
            session.images.kernels[kernel] = KernelHandle(loaded, text(name, "the name"))


LIBRARY, PTX = 4, 1
"""Of CUjitInputType."""


@around("cuLinkCreate_v2")
def link_begins(session: Session, call: Passage, count: int, options: int, values: int, out: int) -> None:
    if call() == 0:
        session.images.linking[get(out)] = []


@around("cuLinkAddData_v2")
def link_data(
    session: Session, call: Passage, handle: int, kind: int, data: int, size: int, name: int, *options: int
) -> None:
    if call() == 0:
        link_adds(session, handle, kind, ctypes.string_at(data, size), text(name, "the name") if name else "<image>")


@around("cuLinkAddFile_v2")
def link_file(session: Session, call: Passage, handle: int, kind: int, path: int, *options: int) -> None:
    if call() == 0:
        name = text(path, "the path")
        link_adds(session, handle, kind, Path(name).read_bytes(), name)


def link_adds(session: Session, handle: int, kind: int, data: bytes, name: str) -> None:
    """Adds the PTX of an image to a link. An image without PTX is left out: uses of its symbols are errors then."""
    found = session.images.linking.get(handle)
    if found is None:
        return
    try:
        found.append(File(name, data.rstrip(b"\0").decode() if kind == PTX else ptx_of(data, session.capability)))
    except (Failure, ValueError) as failure:
        if kind != LIBRARY:
            session.warn_once(f"{name} is linked, and holds no PTX: {failure}")


@around("cuLinkComplete")
def link_ends(session: Session, call: Passage, handle: int, image: int, size: int) -> None:
    files = session.images.linking.get(handle)
    if call() or not files:
        return
    try:
        linked = files[0] if len(files) == 1 else link_files(files)
    except (CheckError, InputError) as error:
        session.warn_once(f"the PTX of {', '.join(file.name for file in files)} cannot be linked: {error}")
        return
    session.images.linked[digest_of(bytes_at(get(image)))] = linked.text


@around("cuLinkDestroy")
def link_destroyed(session: Session, call: Passage, handle: int) -> None:
    session.images.linking.pop(handle, None)
