"""Every entry point called with null pointers, null handles and zeros returns a result."""

import ctypes

from driver_calls import CUDA, call, context

from openptx.driver.calls import CALLS
from openptx.driver.entry_points import entry_points

UNKNOWN = 999
"""What a mistake in OpenPTX returns."""
CHANGE_CONTEXTS = ("cuCtxPopCurrent", "cuCtxPopCurrent_v2", "cuCtxSetCurrent", "cuDevicePrimaryCtxReset_v2")

context()
made = [one for one in entry_points() if one.symbol in CALLS and one.symbol not in CHANGE_CONTEXTS]
assert len(made) > 300
for entry in made:
    function = ctypes.CFUNCTYPE(ctypes.c_int, *entry.types)((entry.symbol, CUDA))
    assert function(*(kind() for kind in entry.types)) != UNKNOWN, entry.symbol
call("cuCtxSynchronize")
