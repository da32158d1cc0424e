"""Creates textures, surfaces and tensor maps of the driver from OpenPTX's objects."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

import numpy as np

from hardware.driver import Array, Driver

LAYERED, SURFACE, CUBE, GATHER = 0x01, 0x02, 0x04, 0x08  # CUDA_ARRAY3D
HOST, ARRAY = 1, 3  # CUmemorytype
ADDRESS = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}
FILTER = {"nearest": 0, "linear": 1}
AS_INTEGER, NORMALIZED = 1, 2  # CU_TRSF
# fmt: off
FORMAT = {"uint8": 0x01, "uint16": 0x02, "uint32": 0x03, "int8": 0x08, "int16": 0x09, "int32": 0x0A,
          "float16": 0x10, "float32": 0x20}
ELEMENT = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9}
SWIZZLE = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
# fmt: on


class ArrayDescription(ctypes.Structure):
    """CUDA_ARRAY3D_DESCRIPTOR."""

    _fields_ = [("extent", c_size_t * 3), ("format", c_int), ("channels", c_uint), ("flags", c_uint)]


class Copy(ctypes.Structure):
    """CUDA_MEMCPY3D: two ends and an extent."""

    class End(ctypes.Structure):
        _fields_ = [("at", c_size_t * 4), ("kind", c_int), ("host", c_void_p), ("device", c_uint64),
                    ("array", c_void_p), ("reserved", c_void_p), ("pitch", c_size_t), ("height", c_size_t)]  # fmt: skip

    _fields_ = [("source", End), ("target", End), ("extent", c_size_t * 3)]


class Resource(ctypes.Structure):
    """CUDA_RESOURCE_DESC of an array."""

    _fields_ = [("kind", c_int), ("array", c_void_p), ("reserved", c_int * 30), ("flags", c_uint)]


class TextureDescription(ctypes.Structure):
    """CUDA_TEXTURE_DESC."""

    _fields_ = [("address", c_int * 3), ("filter", c_int), ("flags", c_uint), ("anisotropy", c_uint),
                ("mipmap_filter", c_int), ("mipmap", c_float * 3), ("border", c_float * 4),
                ("reserved", c_int * 12)]  # fmt: skip


class Image:
    """Texels (layer, z, y, x, component) as an array of the device, and the handle that a kernel takes."""

    def __init__(self, driver: Driver, texels: Array, layered: bool, sampler: dict[str, Any] | None) -> None:
        self.driver = driver
        *outer, channels = texels.shape
        sizes = [*reversed(outer), 0, 0][:3]
        if layered:
            sizes = [*[*reversed(outer[1:]), 0][:2], outer[0]]
        kind = LAYERED * layered | SURFACE * (sampler is None)
        description = ArrayDescription((c_size_t * 3)(*sizes), FORMAT[texels.dtype.name], channels, kind)
        self.array, self.handle = c_void_p(), c_uint64()
        self.extent = [sizes[0] * channels * texels.itemsize, max(sizes[1], 1), max(sizes[2], 1)]
        driver.call("cuArray3DCreate_v2", byref(self.array), byref(description))
        self.copy(texels, True)
        resource = Resource(0, self.array)
        if sampler is None:
            driver.call("cuSurfObjectCreate", byref(self.handle), byref(resource))
            return
        flags = AS_INTEGER * sampler["integer"] | NORMALIZED * sampler["normalized"]
        modes = (c_int * 3)(*(ADDRESS[mode] for mode in sampler["address"]))
        wanted = TextureDescription(modes, FILTER[sampler["filter"]], flags)
        driver.call("cuTexObjectCreate", byref(self.handle), byref(resource), byref(wanted), None)

    def copy(self, texels: Array, up: bool) -> None:
        """Between the texels, which are contiguous, and the device."""
        host = Copy.End(kind=HOST, host=texels.ctypes.data, pitch=self.extent[0], height=self.extent[1])
        device = Copy.End(kind=ARRAY, array=self.array)
        ends = (host, device) if up else (device, host)
        self.driver.call("cuMemcpy3D_v2", byref(Copy(*ends, (c_size_t * 3)(*self.extent))))


def tensor_map(driver: Driver, described: dict[str, Any], address: int) -> bytes:
    """A CUtensorMap for an array at an address."""
    if "function" in described:
        return encoded(driver, described, address)
    shape, strides = described["shape"][::-1], described["strides"][-2::-1]
    rank = len(shape)
    data = np.zeros(256, np.uint8)
    at = -data.ctypes.data % 64
    driver.call(
        "cuTensorMapEncodeTiled", c_void_p(data.ctypes.data + at), ELEMENT[described["element"]], rank,
        c_uint64(address), (c_uint64 * rank)(*shape), (c_uint64 * 5)(*strides),
        (c_uint * rank)(*described["box"][::-1]), (c_uint * rank)(*described["steps"][::-1]),
        0, SWIZZLE[described["swizzle"]], 0, int(described["fill"] == "nan"),
    )  # fmt: skip
    return data[at : at + 128].tobytes()


WORDS = {"dims": c_uint64, "strides": c_uint64, "box": c_uint, "steps": c_uint, "lower": c_int, "upper": c_int}
"""Arguments that are arrays, and of what. They stand with the innermost dimension first, as for the driver."""
ORDER = {
    "cuTensorMapEncodeTiled": ("dims", "strides", "box", "steps"),
    "cuTensorMapEncodeIm2col": ("dims", "strides", "lower", "upper", "channels", "pixels", "steps"),
}


def encoded(driver: Driver, described: dict[str, Any], address: int) -> bytes:
    """A CUtensorMap by the driver's own arguments: `function`, and the names of ORDER."""
    function = described["function"]
    data = np.zeros(256, np.uint8)
    at = -data.ctypes.data % 64
    given = [
        (WORDS[name] * max(len(described[name]), 1))(*described[name]) if name in WORDS else c_uint(described[name])
        for name in ORDER[function]
    ]
    last = [c_int(described.get(name, 0)) for name in ("interleave", "swizzle", "promotion", "fill")]
    driver.call(
        function, c_void_p(data.ctypes.data + at), c_int(described["kind"]), c_uint(len(described["dims"])),
        c_uint64(address + described.get("offset", 0)), *given, *last,
    )  # fmt: skip
    return data[at : at + 128].tobytes()


class Fetched:
    """Levels of texels as an array of the device, and a texture over it.

    `facts`: extent (width, height, depth; 0 for none), channels, format (a name of FORMAT), array (flags), levels
    (numbers of arrays of the request), address, filter, flags, mipmap_filter, mipmap (bias, least, most), anisotropy,
    border.
    """

    def __init__(self, driver: Driver, arrays: list[Array], facts: dict[str, Any]) -> None:
        levels = facts["levels"]
        kind, channels = FORMAT[facts["format"]], facts["channels"]
        description = ArrayDescription((c_size_t * 3)(*facts["extent"]), kind, channels, facts.get("array", 0))
        self.handle = c_uint64()
        whole, parts = c_void_p(), list[c_void_p]()
        if len(levels) > 1:
            driver.call("cuMipmappedArrayCreate", byref(whole), byref(description), len(levels))
            for i in range(len(levels)):
                part = c_void_p()
                driver.call("cuMipmappedArrayGetLevel", byref(part), whole, i)
                parts.append(part)
        else:
            driver.call("cuArray3DCreate_v2", byref(whole), byref(description))
            parts = [whole]
        layered = facts.get("array", 0) & (LAYERED | CUBE)
        for i, (part, number) in enumerate(zip(parts, levels, strict=True)):
            texels = arrays[number]
            width, height, depth = facts["extent"]
            rows, slices = max(height >> i, 1), max(depth if layered else depth >> i, 1)
            row = max(width >> i, 1) * channels * texels.itemsize
            host = Copy.End(kind=HOST, host=texels.ctypes.data, pitch=row, height=rows)
            device = Copy.End(kind=ARRAY, array=part)
            driver.call("cuMemcpy3D_v2", byref(Copy(host, device, (c_size_t * 3)(row, rows, slices))))
        resource = Resource(1 if len(levels) > 1 else 0, whole)
        modes = (c_int * 3)(*(ADDRESS[mode] for mode in facts["address"]))
        wanted = TextureDescription(
            modes, FILTER[facts["filter"]], facts["flags"], facts.get("anisotropy", 0),
            FILTER[facts.get("mipmap_filter", "nearest")], (c_float * 3)(*facts.get("mipmap", (0, 0, 0))),
            (c_float * 4)(*facts.get("border", (0, 0, 0, 0))),
        )  # fmt: skip
        driver.call("cuTexObjectCreate", byref(self.handle), byref(resource), byref(wanted), None)
