"""The program of test_cuda_core_client.py: cuda.core's graphs, textures, surfaces, virtual memory and pools."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

core: Any = importlib.import_module("cuda.core")
graphs: Any = importlib.import_module("cuda.core.graph")
texture: Any = importlib.import_module("cuda.core.texture")

CODE = r"""
extern "C" __global__ void affine(int *x, int a, int b) { x[threadIdx.x] = x[threadIdx.x] * a + b; }
extern "C" __global__ void fetch(cudaTextureObject_t t, float *out, int width) {
    out[blockIdx.x * width + threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}
extern "C" __global__ void twice(cudaSurfaceObject_t s) {
    float value;
    surf2Dread(&value, s, threadIdx.x * 4, blockIdx.x);
    surf2Dwrite(value * 2, s, threadIdx.x * 4, blockIdx.x);
}
"""
device = core.Device()
device.set_current()
stream = device.create_stream()
module = core.Program(CODE, "c++", core.ProgramOptions(arch="compute_90")).compile("ptx")
affine, fetch, twice = (module.get_kernel(name) for name in ("affine", "fetch", "twice"))
host = core.LegacyPinnedMemoryResource()
four = core.LaunchConfig(grid=1, block=4)


def content(buffer: Any, dtype: Any) -> NDArray[Any]:
    """What a buffer of the host holds."""
    return np.from_dlpack(buffer).view(dtype)


def explicit_graph() -> None:
    buffer, out, called = device.memory_resource.allocate(16, stream=stream), host.allocate(16), list[int]()
    graph = graphs.GraphDefinition()
    filled = graph.memset(buffer, np.int32(2), 4)
    first = filled.launch(four, affine, buffer, np.int32(3), np.int32(1))
    read = first.launch(four, affine, buffer, np.int32(1), np.int32(5)).memcpy(out, buffer, 16)
    read.callback(lambda: called.append(1))
    ready = graph.instantiate()
    ready.launch(stream)
    stream.sync()
    assert content(out, np.int32).tolist() == [12] * 4
    assert called == [1]
    assert (len(graph.nodes()), len(graph.edges())) == (5, 4)
    assert (first.config.block, filled.value, read.size) == ((4, 1, 1), 2, 16)
    filled.update(value=np.int32(1), width=4)
    first.update(config=four, kernel=affine, args=(buffer, np.int32(10), np.int32(0)))
    ready.update(graph)
    ready.launch(stream)
    stream.sync()
    assert content(out, np.int32).tolist() == [15] * 4


def graph_with_its_own_memory_in_another() -> None:
    out, child, parent = host.allocate(16), graphs.GraphDefinition(), graphs.GraphDefinition()
    memory = child.allocate(16)
    filled = memory.memset(memory.dptr, np.int32(3), 4)
    done = filled.launch(four, affine, memory.dptr, np.int32(2), np.int32(1)).memcpy(out, memory.dptr, 16)
    done.deallocate(memory.dptr)
    child.instantiate().launch(stream)
    stream.sync()
    assert content(out, np.int32).tolist() == [7] * 4
    simple, buffer = graphs.GraphDefinition(), device.memory_resource.allocate(16, stream=stream)
    simple.memset(buffer, np.int32(4), 4).launch(four, affine, buffer, np.int32(1), np.int32(1))
    parent.join(parent.embed(simple).memcpy(out, buffer, 16))
    parent.instantiate().launch(stream)
    stream.sync()
    assert content(out, np.int32).tolist() == [5] * 4


def texture_and_surface() -> None:
    image = np.arange(20, dtype=np.float32).reshape(4, 5)
    options = texture.OpaqueArrayOptions(shape=(5, 4), format="float32", num_channels=1, is_surface_load_store=True)
    array = device.create_opaque_array(options)
    array.copy_from(image, stream=stream)
    resource = texture.ResourceDescriptor.from_opaque_array(array)
    shown = device.create_texture_object(resource=resource, options=texture.TextureObjectOptions())
    out, read = device.memory_resource.allocate(80, stream=stream), host.allocate(80)
    rows = core.LaunchConfig(grid=4, block=5)
    core.launch(stream, rows, fetch, np.uint64(int(shown.handle)), out, np.int32(5))
    read.copy_from(out, stream=stream)
    stream.sync()
    assert (content(read, np.float32).reshape(4, 5) == image).all()
    drawn = device.create_surface_object(resource=resource)
    core.launch(stream, rows, twice, np.uint64(int(drawn.handle)))
    back = np.zeros_like(image)
    array.copy_to(back, stream=stream)
    stream.sync()
    assert (back == 2 * image).all()


def virtual_memory() -> None:
    buffer = core.VirtualMemoryResource(device).allocate(1 << 20)
    assert buffer.size == 2 << 20
    core.launch(stream, four, affine, buffer, np.int32(1), np.int32(7))
    out = host.allocate(buffer.size)
    out.copy_from(buffer, stream=stream)
    stream.sync()
    assert content(out, np.int32)[:5].tolist() == [7] * 4 + [0]


def pools() -> None:
    buffer = core.PinnedMemoryResource().allocate(16, stream=stream)
    stream.sync()
    content(buffer, np.int32)[:] = 1
    core.launch(stream, four, affine, buffer, np.int32(1), np.int32(2))
    stream.sync()
    assert content(buffer, np.int32).tolist() == [3] * 4


for part in (explicit_graph, graph_with_its_own_memory_in_another, texture_and_surface, virtual_memory, pools):
    part()
    print(part.__name__)
