"""Device memory in the host's hands: what `cuMemAlloc`, `cuMemHostRegister` and `cuMemcpy` are in CUDA's driver.

    block = openptx.memory.allocate(4096)                  a Block: kernels take it, or `block.address` as an integer
    openptx.memory.write(block, data); openptx.memory.read(block)
    block.array("float32")                                 the same memory, as a NumPy array
    openptx.memory.free(block)                             from now on an access to it is a fault

    openptx.memory.register(pointer, size, owner=keeper)   memory that somebody else allocated
    openptx.memory.address(array)                          of an array, tensor, view or buffer, as a pointer

All 64-bit programs share this memory. An address that `allocate` gives is valid on the host as well.
"""

from openptx.memory.blocks import Block, Info, allocate, find, free, info, register, unregister
from openptx.memory.transfers import address, copy, fill, read, write

__all__ = ["Block", "Info", "address", "allocate", "copy", "fill", "find", "free", "info", "read", "register",
           "unregister", "write"]  # fmt: skip
