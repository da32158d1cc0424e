"""The functions of the recorded driver, and the interpretation of their results."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from openptx.device.allocation import Bytes
from openptx.driver.entry_points import entry_points

MAJOR, MINOR = 75, 76
"""Of CUdevice_attribute: the compute capability."""


class RealDriver:
    """Calls entry points by symbol. A result of 0 is success, as everywhere in cuda.h."""

    def __init__(self, path: bytes) -> None:
        self.c: Any = ctypes.PyDLL(path.decode("utf-8", "surrogateescape"))
        self._address = self.c.openptx_driver_real
        self._address.restype, self._address.argtypes = ctypes.c_void_p, (ctypes.c_int,)
        self._numbers = {entry.symbol: i for i, entry in enumerate(entry_points())}
        self._called: dict[int, Any] = {}

    def function(self, slot: int, symbol: str) -> Any:
        """The driver's function for a slot of the table, called with numbers; None if it has none."""
        if slot not in self._called:
            types = entry_points()[self._numbers[symbol]].types
            address = self._address(slot)
            self._called[slot] = ctypes.CFUNCTYPE(ctypes.c_int, *types)(address) if address else None
        return self._called[slot]

    def __call__(self, symbol: str, *arguments: int) -> int:
        """Calls an entry point. The result is CUDA_ERROR_NOT_FOUND if an older driver lacks it."""
        function = self.function(self._numbers[symbol], symbol)
        return function(*arguments) if function is not None else 500

    def ask(self, symbol: str, *arguments: int, kind: Any = ctypes.c_uint64) -> int | None:
        """The value that an entry point writes to its first argument; None if it fails."""
        out = kind(0)
        return out.value if self(symbol, ctypes.addressof(out), *arguments) == 0 else None

    def pair(self, symbol: str, *arguments: int) -> tuple[int, int] | None:
        """Calls an entry point that writes an address and a number of bytes, and returns the two; None if it fails."""
        out, size = ctypes.c_uint64(0), ctypes.c_uint64(0)
        failed = self(symbol, ctypes.addressof(out), ctypes.addressof(size), *arguments)
        return None if failed else (out.value, size.value)

    def read(self, address: int, size: int) -> Bytes | None:
        """The content of device memory; None if it cannot be read."""
        found = np.empty(size, np.uint8)
        return None if size and self("cuMemcpyDtoH_v2", found.ctypes.data, address, size) else found

    def capability(self) -> int:
        """The compute capability of the context's device: 90 for sm_90."""
        device = self.ask("cuCtxGetDevice", kind=ctypes.c_int32) or 0
        major, minor = (self.ask("cuDeviceGetAttribute", n, device, kind=ctypes.c_int32) or 0 for n in (MAJOR, MINOR))
        return 10 * major + minor

    def device(self) -> str:
        """The device's name and the driver's version, as text."""
        name = ctypes.create_string_buffer(256)
        number = self.ask("cuCtxGetDevice", kind=ctypes.c_int32) or 0
        failed = self("cuDeviceGetName", ctypes.addressof(name), len(name), number)
        version = self.ask("cuDriverGetVersion", kind=ctypes.c_int32) or 0
        words = "a GPU" if failed else name.value.decode("utf-8", "replace")
        return f"{words}, driver of CUDA {version // 1000}.{version % 1000 // 10}"
