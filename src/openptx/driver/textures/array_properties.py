"""Properties of sparse, deferred and multi-plane arrays, none of which exist here."""

from __future__ import annotations

from openptx.driver.calls import Failure, in_context, invalid
from openptx.driver.devices.contexts import Context
from openptx.driver.devices.device import require_device
from openptx.driver.textures.arrays import Array
from openptx.driver.textures.mipmaps import Mipmapped


def lacks(what: str) -> Failure:
    return invalid(f"the array was not made {what}")


@in_context("cuArrayGetSparseProperties")
def sparse(context: Context, out: int, array: Array) -> None:
    raise lacks("sparse (CUDA_ARRAY3D_SPARSE)")


@in_context("cuMipmappedArrayGetSparseProperties")
def sparse_levels(context: Context, out: int, mipmapped: Mipmapped) -> None:
    raise lacks("sparse (CUDA_ARRAY3D_SPARSE)")


@in_context("cuArrayGetMemoryRequirements")
def requirements(context: Context, out: int, array: Array, device: int) -> None:
    require_device(device)
    raise lacks("without memory (CUDA_ARRAY3D_DEFERRED_MAPPING)")


@in_context("cuMipmappedArrayGetMemoryRequirements")
def level_requirements(context: Context, out: int, mipmapped: Mipmapped, device: int) -> None:
    require_device(device)
    raise lacks("without memory (CUDA_ARRAY3D_DEFERRED_MAPPING)")


@in_context("cuArrayGetPlane")
def plane(context: Context, out: int, array: Array, number: int) -> None:
    raise lacks("of several planes")
