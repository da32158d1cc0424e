"""Attributes of the device by their numbers in CUDA (`CUdevice_attribute`); those that are not listed are 0."""

from __future__ import annotations

from functools import cache

from openptx.profile.occupancy import MULTIPROCESSOR_COUNTS, MULTIPROCESSORS, REGISTERS, WARP

SYSTEM_KIB = 1
"""The part of a multiprocessor's shared memory that a block cannot have, from sm_80 on."""

# fmt: off
#   number  value        CU_DEVICE_ATTRIBUTE_...
FIXED = {
    1:      1024,        # MAX_THREADS_PER_BLOCK
    2:      1024,        # MAX_BLOCK_DIM_X, Y, Z
    3:      1024,
    4:      64,
    5:      2**31 - 1,   # MAX_GRID_DIM_X, Y, Z
    6:      65535,
    7:      65535,
    8:      48 << 10,    # MAX_SHARED_MEMORY_PER_BLOCK
    9:      64 << 10,    # TOTAL_CONSTANT_MEMORY
    10:     WARP,        # WARP_SIZE
    11:     2**31 - 1,   # MAX_PITCH
    12:     REGISTERS,   # MAX_REGISTERS_PER_BLOCK
    13:     1_980_000,   # CLOCK_RATE, kHz: nominal, because nothing here has a clock rate
    14:     512,         # TEXTURE_ALIGNMENT
    15:     1,           # GPU_OVERLAP
    19:     1,           # CAN_MAP_HOST_MEMORY
    21:     131072,      # MAXIMUM_TEXTURE1D_WIDTH
    22:     131072,      # MAXIMUM_TEXTURE2D_WIDTH, HEIGHT
    23:     65536,
    24:     16384,       # MAXIMUM_TEXTURE3D_WIDTH, HEIGHT, DEPTH
    25:     16384,
    26:     16384,
    27:     32768,       # MAXIMUM_TEXTURE2D_LAYERED_WIDTH, HEIGHT, LAYERS
    28:     32768,
    29:     2048,
    30:     512,         # SURFACE_ALIGNMENT
    31:     1,           # CONCURRENT_KERNELS
    33:     1,           # PCI_BUS_ID
    36:     2_619_000,   # MEMORY_CLOCK_RATE, kHz, nominal
    37:     5120,        # GLOBAL_MEMORY_BUS_WIDTH, nominal
    38:     50 << 20,    # L2_CACHE_SIZE, nominal
    40:     3,           # ASYNC_ENGINE_COUNT
    41:     1,           # UNIFIED_ADDRESSING
    42:     32768,       # MAXIMUM_TEXTURE1D_LAYERED_WIDTH, LAYERS
    43:     2048,
    51:     32,          # TEXTURE_PITCH_ALIGNMENT
    55:     32768,       # MAXIMUM_SURFACE1D_WIDTH
    56:     131072,      # MAXIMUM_SURFACE2D_WIDTH, HEIGHT
    57:     65536,
    58:     16384,       # MAXIMUM_SURFACE3D_WIDTH, HEIGHT, DEPTH
    59:     16384,
    60:     16384,
    69:     268435456,   # MAXIMUM_TEXTURE1D_LINEAR_WIDTH
    70:     131072,      # MAXIMUM_TEXTURE2D_LINEAR_WIDTH, HEIGHT, PITCH
    71:     65000,
    72:     2097120,
    78:     1,           # STREAM_PRIORITIES_SUPPORTED
    79:     1,           # GLOBAL_L1_CACHE_SUPPORTED
    80:     1,           # LOCAL_L1_CACHE_SUPPORTED
    82:     REGISTERS,   # MAX_REGISTERS_PER_MULTIPROCESSOR
    83:     1,           # MANAGED_MEMORY
    87:     2,           # SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
    89:     1,           # CONCURRENT_MANAGED_ACCESS
    90:     1,           # COMPUTE_PREEMPTION_SUPPORTED
    95:     1,           # COOPERATIVE_LAUNCH
    99:     1,           # HOST_REGISTER_SUPPORTED
    102:    1,           # VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    103:    1,           # HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
    113:    1,           # READ_ONLY_HOST_REGISTER_SUPPORTED
    115:    1,           # MEMORY_POOLS_SUPPORTED
    125:    1,           # IPC_EVENT_SUPPORTED
    134:    0,           # HOST_NUMA_ID
    142:    1,           # HOST_NUMA_MEMORY_POOLS_SUPPORTED
    144:    1,           # HOST_MEMORY_POOLS_SUPPORTED
}
# fmt: on


@cache
def attributes(capability: int) -> dict[int, int]:
    """The attributes of a device of this compute capability (CUDA C++ Programming Guide, technical specifications)."""
    machine = MULTIPROCESSORS[capability]
    most = machine.shared - SYSTEM_KIB if capability >= 80 else {75: 64, 70: 96, 72: 96}.get(capability, 48)
    return FIXED | {
        16: MULTIPROCESSOR_COUNTS.get(capability, 80),
        39: machine.warps * WARP,
        75: capability // 10,
        76: capability % 10,
        81: machine.shared << 10,
        97: most << 10,
        106: machine.blocks,
        111: SYSTEM_KIB << 10 if capability >= 80 else 0,
        120: int(capability >= 90),  # CLUSTER_LAUNCH
        127: int(capability >= 90),  # TENSOR_MAP_ACCESS_SUPPORTED
        129: int(capability >= 90),  # UNIFIED_FUNCTION_POINTERS
    }
