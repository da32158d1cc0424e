"""Torch tensors as arrays, by a view of their bytes if DLPack refuses: bf16, fp8, tensors that need gradients."""

from __future__ import annotations

import ctypes
import sys
import weakref
from typing import Any

import numpy as np

from openptx.array_types import Array

_kept: dict[int, Array] = {}
"""The array of each tensor, by its id, for the life of the tensor: pointers to it stay valid between launches."""


def is_tensor(argument: object) -> bool:
    """Whether an object is a torch tensor; does not import torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(argument, torch.Tensor)


def is_in_cpu_memory(tensor: Any) -> bool:
    """Whether a tensor's storage is; `openptx.torch` may override its `device`. A sparse tensor has none."""
    try:
        return tensor.untyped_storage().device.type == "cpu"
    except (RuntimeError, NotImplementedError):
        return False


def flat_bytes(tensor: Any) -> Any:
    """A tensor of bytes that shares the memory of a contiguous one. Raises torch's exception if that is impossible."""
    if not tensor.is_contiguous():
        raise BufferError("it is not contiguous; pass `tensor.contiguous()`")
    return tensor.detach().reshape(-1).view(sys.modules["torch"].uint8)


def with_elements(data: Array, tensor: Any) -> Array:
    """These bytes of a tensor as its elements; as bytes if neither NumPy nor ml_dtypes has such elements."""
    import ml_dtypes  # 7 ms that launches with NumPy's arrays do not need

    name = str(tensor.dtype).removeprefix("torch.")
    element = getattr(ml_dtypes, name, None) or np.sctypeDict.get(name)
    return data if element is None else data.view(element).reshape(tuple(tensor.shape))


_storages: weakref.WeakValueDictionary[tuple[int, int], Array] = weakref.WeakValueDictionary()
"""The bytes of each storage of which a tensor was converted, by their address and size."""
_stored: dict[int, Array] = {}
"""The same bytes by the id of the storage's Python object, of which torch keeps one as long as the storage lives."""


def storage_of(tensor: Any) -> Array:
    """All bytes of the storage that a tensor is a view of: the same array for all tensors of one storage, as long as
    one of them lives. It does not keep them alive."""
    storage = tensor.untyped_storage()
    key = storage.data_ptr(), storage.nbytes()
    found = _storages.get(key)
    if found is None:
        data = memoryview((ctypes.c_uint8 * key[1]).from_address(key[0]))
        found = _storages[key] = np.frombuffer(data, np.uint8) if key[1] else np.zeros(0, np.uint8)
    if id(storage) not in _stored:
        weakref.finalize(storage, _stored.pop, id(storage), None).atexit = False
    _stored[id(storage)] = found
    return found


def memoised_array(tensor: object, array: Array) -> Array:
    """The array for a tensor: the same one each time, as long as the tensor has the same memory.

    The array must not keep the tensor alive.
    """
    known = _kept.get(id(tensor))
    if known is not None and same_memory(known, array):
        return known
    if known is None:
        weakref.finalize(tensor, _kept.pop, id(tensor), None).atexit = False
    _kept[id(tensor)] = array
    return array


def same_memory(a: Array, b: Array) -> bool:
    """Whether two arrays are equal in address, type, shape and writability."""
    return a.__array_interface__["data"] == b.__array_interface__["data"] and a.dtype == b.dtype and a.shape == b.shape
