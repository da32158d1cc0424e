"""Resources of OpenGL, which has no context here that belongs to a CUDA device: the errors of a GPU without one.

A program that draws with OpenGL does so on another driver (Mesa), and must copy its results through the host.
"""

from __future__ import annotations

import ctypes

from openptx.driver.calls import Failure, counted, get, in_context, initialized, invalid, put
from openptx.driver.devices.contexts import Context
from openptx.driver.results import Result

NO_OPENGL = "no OpenGL context belongs to this device"
HANDLE = 8
"""Bytes of a handle in an array."""


def none_has(handle: int) -> Failure:
    return Failure(Result.INVALID_HANDLE, f"0x{handle:x} is not a graphics resource: none can be registered")


@in_context("cuGraphicsGLRegisterBuffer", "cuGraphicsGLRegisterImage")
def register_resource(context: Context, out: int, *what: int) -> None:
    put(out, 0)
    raise Failure(Result.OPERATING_SYSTEM, NO_OPENGL)


@initialized("cuGLGetDevices", "cuGLGetDevices_v2")
def devices(count: int, out: int, most: int, which: int) -> None:
    put(count, 0, ctypes.c_uint32)
    raise Failure(Result.INVALID_GRAPHICS_CONTEXT, NO_OPENGL)


@initialized("cuGLCtxCreate", "cuGLCtxCreate_v2")
def create_context(out: int, flags: int, device: int) -> None:
    put(out, 0)
    raise Failure(Result.INVALID_GRAPHICS_CONTEXT, NO_OPENGL)


@in_context(
    "cuGLInit", "cuGLRegisterBufferObject", "cuGLUnregisterBufferObject", "cuGLSetBufferObjectMapFlags",
    "cuGLMapBufferObject_v2", "cuGLMapBufferObjectAsync_v2", "cuGLUnmapBufferObject", "cuGLUnmapBufferObjectAsync",
)  # fmt: skip
def buffer_object(context: Context, *what: int) -> None:
    raise Failure(Result.INVALID_GRAPHICS_CONTEXT, NO_OPENGL)


@in_context("cuGraphicsUnregisterResource", "cuGraphicsResourceSetMapFlags", "cuGraphicsResourceSetMapFlags_v2")
def change_resource(context: Context, handle: int, *flags: int) -> None:
    raise none_has(handle)


@in_context("cuGraphicsMapResources", "cuGraphicsUnmapResources")
def map_resources(context: Context, count: int, handles: int, stream: int) -> None:
    if not count:
        raise invalid("no resources are named")
    for i in counted(count, "resources"):
        raise none_has(get(handles + HANDLE * i))


@in_context("cuGraphicsResourceGetMappedPointer_v2")
def mapped_pointer(context: Context, out: int, size: int, handle: int) -> None:
    raise none_has(handle)


@in_context("cuGraphicsResourceGetMappedMipmappedArray", "cuGraphicsSubResourceGetMappedArray")
def mapped_array(context: Context, out: int, handle: int, *which: int) -> None:
    raise none_has(handle)
