"""Graph nodes that wait for words of memory and write them: several operations, one after another."""

from __future__ import annotations

import ctypes
import struct

from openptx.driver.calls import read
from openptx.driver.devices.contexts import Context, context_of
from openptx.driver.getters import getter
from openptx.driver.graphs.graph import Node, Work
from openptx.driver.graphs.nodes import DESCRIBED, adds
from openptx.driver.graphs.settings import of_kind, sets
from openptx.driver.memory.word_operations import batch_of, read_batch

FIELDS = struct.Struct("<QI4xQI4x")
"""CUDA_BATCH_MEM_OP_NODE_PARAMS: the context, the number of operations, a pointer to them, flags."""


def batch_work(context: Context, pointer: int) -> Work:
    """The content of a CUDA_BATCH_MEM_OP_NODE_PARAMS. The operations are copied now."""
    owner, count, operations, flags = FIELDS.unpack(read(pointer, FIELDS.size))
    context_of(owner)
    return Work(read_batch(count, operations, flags).run)


def batch_words(context: Context, node: Node) -> bytes:
    """CUDA_BATCH_MEM_OP_NODE_PARAMS. The node owns the operations until its parameters change."""
    batch = batch_of(node.work.function)
    node.kept = data = ctypes.create_string_buffer(batch.description, max(len(batch.description), 1))
    return FIELDS.pack(context.handle, len(batch.operations), ctypes.addressof(data), 0)


DESCRIBED["memory"] = batch_work
adds("cuGraphAddBatchMemOpNode", "memory", batch_work)
getter("cuGraphBatchMemOpNodeGetParams", lambda context, handle: batch_words(context, of_kind(handle, "memory")))
# In an executable graph addresses, values and comparisons may change, not the number and the types of the operations.
sets("cuGraphBatchMemOpNodeSetParams", "cuGraphExecBatchMemOpNodeSetParams", "memory", batch_work)
