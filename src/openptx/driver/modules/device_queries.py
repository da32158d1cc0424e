"""Functions by which kernels ask for facts of the device (CUDA's device runtime), written in PTX for one device."""

from __future__ import annotations

from openptx.driver.devices.attributes import attributes
from openptx.isa.special_registers import allocation_unit
from openptx.profile.occupancy import MULTIPROCESSORS, SYSTEM_BYTES, WARP
from openptx.source import File

NAMES = "__cudaCDP2DeviceGetAttribute", "__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor"

# CUDA's errors: 1 is cudaErrorInvalidValue, 101 cudaErrorInvalidDevice
TEXT = """.version 6.0
.target sm_60
.address_size 64
.global .b32 openptx_attributes[{count}] = {{{values}}};
.weak .func (.param .b32 status) __cudaCDP2DeviceGetAttribute(
    .param .b64 value, .param .b32 attribute, .param .b32 device)
{{
    .reg .pred wrong;
    .reg .b32 number, ordinal, result;
    .reg .b64 place, entry;
    ld.param.b64 place, [value];
    ld.param.b32 number, [attribute];
    ld.param.b32 ordinal, [device];
    mov.b32 result, 101;
    setp.ne.u32 wrong, ordinal, 0;
    @wrong bra DONE;
    mov.b32 result, 1;
    setp.ge.u32 wrong, number, {count};
    @wrong bra DONE;
    mov.b64 entry, openptx_attributes;
    mad.wide.u32 entry, number, 4, entry;
    ld.global.b32 result, [entry];
    st.b32 [place], result;
    mov.b32 result, 0;
DONE:
    st.param.b32 [status], result;
    ret;
}}
"""
# By threads and dynamic shared memory alone: an upper bound
OCCUPANCY = """.weak .func (.param .b32 status) __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor{flagged}(
    .param .b64 blocks, .param .b64 kernel, .param .b32 threads, .param .b64 shared{flags})
{{
    .reg .pred wrong;
    .reg .b32 n, most, result;
    .reg .b64 place, bytes, fitting;
    ld.param.b64 place, [blocks];
    ld.param.b32 n, [threads];
    ld.param.b64 bytes, [shared];
    mov.b32 result, 1;
    setp.le.s32 wrong, n, 0;
    @wrong bra DONE;
    setp.gt.u32 wrong, n, {threads};
    add.u32 n, n, {warp} - 1;
    div.u32 n, n, {warp};
    div.u32 most, {warps}, n;
    min.u32 most, most, {blocks};
    add.u64 bytes, bytes, {system} + {unit} - 1;
    div.u64 bytes, bytes, {unit};
    max.u64 bytes, bytes, 1;
    div.u64 fitting, {memory} / {unit}, bytes;
    cvt.u32.u64 n, fitting;
    min.u32 most, most, n;
    selp.b32 most, 0, most, wrong;
    st.b32 [place], most;
    mov.b32 result, 0;
DONE:
    st.param.b32 [status], result;
    ret;
}}
"""


def device_queries(files: list[File], capability: int) -> list[File]:
    """The functions, if a file calls one of them."""
    if not any(name in file.text for file in files for name in NAMES):
        return []
    facts, machine = attributes(capability), MULTIPROCESSORS[capability]
    count = max(facts) + 1
    values = ", ".join(str(facts.get(number, 0)) for number in range(count))
    text = TEXT.format(count=count, values=values)
    for flagged, flags in (("", ""), ("WithFlags", ", .param .b32 flags")):
        text += OCCUPANCY.format(
            flagged=flagged,
            flags=flags,
            threads=facts[1],
            warp=WARP,
            warps=machine.warps,
            blocks=machine.blocks,
            memory=machine.shared << 10,
            unit=allocation_unit(f"sm_{capability}"),
            system=SYSTEM_BYTES if capability >= 80 else 0,
        )
    return [File("device_queries.ptx", text)]
