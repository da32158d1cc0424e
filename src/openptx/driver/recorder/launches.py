"""Launches: selection of those to record, and reading memory before and after through the real driver."""

from __future__ import annotations

import ctypes
from fnmatch import fnmatchcase

from openptx.driver.calls import Failure, text
from openptx.driver.execution.launches import Shape, configuration, packed
from openptx.driver.recorder.images import Image, KernelHandle
from openptx.driver.recorder.session import Session
from openptx.driver.recorder.wrappers import Passage, around
from openptx.driver.recorder.writing import Before, TooLarge, UnfinishedFile
from openptx.errors import CheckError, Error
from openptx.runtime import Kernel


@around("cuLaunchKernel")
def launch_kernel(
    session: Session, call: Passage, handle: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int,
    stream: int, pointers: int, extra: int,
) -> None:  # fmt: skip
    record_launch(session, call, handle, Shape((gx, gy, gz), (bx, by, bz), shared), stream, pointers, extra)


@around("cuLaunchCooperativeKernel")
def launch_cooperative(
    session: Session, call: Passage, handle: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int,
    stream: int, pointers: int,
) -> None:  # fmt: skip
    record_launch(session, call, handle, Shape((gx, gy, gz), (bx, by, bz), shared), stream, pointers, 0)


@around("cuLaunchKernelEx")
def launch_ex(session: Session, call: Passage, config: int, handle: int, pointers: int, extra: int) -> None:
    shape, stream = configuration(config)
    record_launch(session, call, handle, shape, stream, pointers, extra)


@around("cuGraphLaunch")
def launch_graph(session: Session, call: Passage, graph: int, stream: int) -> None:
    session.warn_once("the program launches graphs: kernels in them are not recorded")


def record_launch(
    session: Session, call: Passage, handle: int, shape: Shape, stream: int, pointers: int, extra: int
) -> None:
    """One launch, recorded if wanted and possible."""
    with session.lock:
        kernel = kernel_to_record(session, handle, stream)
        if kernel is None:
            return
        parameters = packed_of(kernel, pointers, extra)
        if parameters is None or session.real("cuCtxSynchronize"):
            return  # the driver refuses it, or the context is broken: nothing will run
        try:
            before = Before.of(session, session.images.kernels[handle], kernel, shape, parameters)
        except TooLarge as error:
            session.warn_once(str(error))
            return
        record(session, call, before)


def record(session: Session, call: Passage, before: Before) -> None:
    """Writes the state before the launch, launches, and writes the state after it."""
    try:
        unfinished = UnfinishedFile.begin(session, before)
    except OSError as error:
        session.ended = True
        session.warn_once(f"nothing is recorded any more: {error}")
        return
    refused = call()
    result = session.real("cuCtxSynchronize")
    if refused and not result:
        unfinished.discard()
    elif result:
        unfinished.failed(result)
    else:
        unfinished.finish()


def packed_of(kernel: Kernel, pointers: int, extra: int) -> bytearray | None:
    """The parameters' bytes; None if some are missing, which the real driver refuses."""
    places = [(p.offset, p.size) for p in kernel.parameters]
    try:
        return packed(kernel.name, kernel.function.parameter_size, places, pointers, extra)
    except Failure:
        return None


def kernel_to_record(session: Session, handle: int, stream: int) -> Kernel | None:
    """The kernel of a launch that is to be recorded; None for others, and if recording is impossible."""
    settings, known = session.settings, find_kernel(session, handle)
    if session.ended or known is None or not fnmatchcase(known.name, settings.kernels):
        return None
    key = (known.loaded.image.digest, known.name)
    session.seen[key] += 1
    if session.taken[key] >= settings.launches or (session.seen[key] - 1) % settings.every:
        return None
    if captured(session, stream):
        session.warn_once(f"kernel `{known.name}` is launched in a graph: it is not recorded there")
        return None
    kernel = with_ptx(session, known)
    # Launches of a kernel without PTX are not looked at again.
    session.taken[key] = session.taken[key] + 1 if kernel is not None else settings.launches
    return kernel


def find_kernel(session: Session, handle: int) -> KernelHandle | None:
    """A kernel by its handle; the real driver may know one that the program obtained in another way."""
    images = session.images
    if handle not in images.kernels:
        module = session.real.ask("cuFuncGetModule", handle)
        name = session.real.ask("cuFuncGetName", handle)
        loaded = images.modules.get(module or 0)
        if loaded is None or not name:
            session.warn_once("a kernel is launched whose module was loaded in an unknown way: it is not recorded")
            return None
        images.kernels[handle] = KernelHandle(loaded, text(name, "the name"))
    return images.kernels[handle]


def captured(session: Session, stream: int) -> bool:
    """Whether a stream is under capture."""
    status = ctypes.c_int(0)
    return session.real("cuStreamIsCapturing", stream, ctypes.addressof(status)) == 0 and status.value != 0


def with_ptx(session: Session, known: KernelHandle) -> Kernel | None:
    """The kernel in the PTX of its image, or of a file from the user."""
    image = known.loaded.image
    why = image.why
    for candidate in [image, *session.given] if image.ptx else session.given:
        kernel, wrong = kernel_in(candidate, known.name)
        if kernel is not None:
            known.loaded.image = candidate if candidate is not image else image
            return kernel
        why = wrong if candidate is image else why
    session.warn_once(f"kernel `{known.name}` is not recorded: {why}; --ptx FILE gives its PTX")
    return None


def kernel_in(image: Image, name: str) -> tuple[Kernel | None, str]:
    """A kernel, or why there is none."""
    try:
        module = image.module()
        return (module[name], "") if name in module else (None, f"the PTX of its image has no kernel `{name}`")
    except CheckError as error:
        return None, f"its PTX has errors:\n{error}"
    except Error as error:
        return None, str(error)
