"""Without OpenGL nothing can be registered, and nothing that is not registered can be mapped."""

import ctypes
from ctypes import byref

from driver_calls import CUDA, Handle, call, context

OPERATING_SYSTEM, INVALID_GRAPHICS_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED = 304, 219, 400, 1, 801

context()
resource, count, device = Handle(8), ctypes.c_uint(7), ctypes.c_int(7)
call("cuGraphicsGLRegisterBuffer", byref(resource), 1, 0, result=OPERATING_SYSTEM)
assert resource.value is None
call("cuGraphicsGLRegisterImage", byref(resource), 1, 0x0DE1, 0, result=OPERATING_SYSTEM)
call("cuGraphicsGLRegisterBuffer", None, 1, 0, result=INVALID_VALUE)
call("cuGLGetDevices_v2", byref(count), byref(device), 1, 1, result=INVALID_GRAPHICS_CONTEXT)
assert count.value == 0
call("cuGLRegisterBufferObject", 1, result=INVALID_GRAPHICS_CONTEXT)
unregistered = Handle(0x1234)
call("cuGraphicsMapResources", 1, byref(unregistered), None, result=INVALID_HANDLE)
call("cuGraphicsMapResources", 0, byref(unregistered), None, result=INVALID_VALUE)
call("cuGraphicsUnmapResources", 1, byref(unregistered), None, result=INVALID_HANDLE)
call("cuGraphicsUnregisterResource", unregistered, result=INVALID_HANDLE)
call("cuGraphicsSubResourceGetMappedArray", byref(resource), unregistered, 0, 0, result=INVALID_HANDLE)
for other in ("cuEGLStreamConsumerConnect", "cuVDPAUGetDevice"):
    call(other, byref(resource), None, None, result=NOT_SUPPORTED)
runtime = ctypes.CDLL("libcudart.so.13")
assert runtime.cudaGraphicsGLRegisterBuffer(byref(resource), 1, 0) == OPERATING_SYSTEM
assert runtime.cudaGLGetDevices(byref(count), byref(device), 1, 1) == INVALID_GRAPHICS_CONTEXT
assert runtime.cudaGraphicsUnregisterResource(unregistered) == INVALID_HANDLE
assert runtime.cudaGraphicsUnmapResources(1, byref(unregistered), None) == INVALID_HANDLE
assert hasattr(CUDA, "cuGLMapBufferObjectAsync_v2_ptsz")
