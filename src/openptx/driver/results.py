"""Results of entry points: CUDA's numbers, their names in the manual, and their meanings."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Row(NamedTuple):
    number: int
    name: str
    text: str


# fmt: off
# number  name                               text
_ROWS = (
    (0,   "CUDA_SUCCESS",                       "no error"),
    (1,   "INVALID_VALUE",                      "invalid argument"),
    (2,   "OUT_OF_MEMORY",                      "out of memory"),
    (3,   "NOT_INITIALIZED",                    "initialization error"),
    (4,   "DEINITIALIZED",                      "driver shutting down"),
    (5,   "PROFILER_DISABLED",                  "profiler disabled while using external profiling tool"),
    (6,   "PROFILER_NOT_INITIALIZED",           "profiler not initialized: call cudaProfilerInitialize()"),
    (7,   "PROFILER_ALREADY_STARTED",           "profiler already started"),
    (8,   "PROFILER_ALREADY_STOPPED",           "profiler already stopped"),
    (34,  "STUB_LIBRARY",                       "CUDA driver is a stub library"),
    (36,  "CALL_REQUIRES_NEWER_DRIVER",         "API call is not supported in the installed CUDA driver"),
    (46,  "DEVICE_UNAVAILABLE",                 "CUDA-capable device(s) is/are busy or unavailable"),
    (47,  "MULTICAST_RESOURCE_FULL",            "no resources are left for multicast"),
    (100, "NO_DEVICE",                          "no CUDA-capable device is detected"),
    (101, "INVALID_DEVICE",                     "invalid device ordinal"),
    (102, "DEVICE_NOT_LICENSED",                "device doesn't have valid Grid license"),
    (200, "INVALID_IMAGE",                      "device kernel image is invalid"),
    (201, "INVALID_CONTEXT",                    "invalid device context"),
    (202, "CONTEXT_ALREADY_CURRENT",            "context already current"),
    (205, "MAP_FAILED",                         "mapping of buffer object failed"),
    (206, "UNMAP_FAILED",                       "unmapping of buffer object failed"),
    (207, "ARRAY_IS_MAPPED",                    "array is mapped"),
    (208, "ALREADY_MAPPED",                     "resource already mapped"),
    (209, "NO_BINARY_FOR_GPU",                  "no kernel image is available for execution on the device"),
    (210, "ALREADY_ACQUIRED",                   "resource already acquired"),
    (211, "NOT_MAPPED",                         "resource not mapped"),
    (212, "NOT_MAPPED_AS_ARRAY",                "resource not mapped as array"),
    (213, "NOT_MAPPED_AS_POINTER",              "resource not mapped as pointer"),
    (214, "ECC_UNCORRECTABLE",                  "uncorrectable ECC error encountered"),
    (215, "UNSUPPORTED_LIMIT",                  "limit is not supported on this architecture"),
    (216, "CONTEXT_ALREADY_IN_USE",             "exclusive-thread device already in use by a different thread"),
    (217, "PEER_ACCESS_UNSUPPORTED",            "peer access is not supported between these two devices"),
    (218, "INVALID_PTX",                        "a PTX JIT compilation failed"),
    (219, "INVALID_GRAPHICS_CONTEXT",           "invalid OpenGL or DirectX context"),
    (220, "NVLINK_UNCORRECTABLE",               "uncorrectable NVLink error detected during the execution"),
    (221, "JIT_COMPILER_NOT_FOUND",             "PTX JIT compiler library not found"),
    (222, "UNSUPPORTED_PTX_VERSION",            "the provided PTX was compiled with an unsupported toolchain."),
    (223, "JIT_COMPILATION_DISABLED",           "PTX JIT compilation was disabled"),
    (224, "UNSUPPORTED_EXEC_AFFINITY",          "the provided execution affinity is not supported"),
    (225, "UNSUPPORTED_DEVSIDE_SYNC",           "the PTX code uses device-side synchronization that is not supported"),
    (226, "CONTAINED",                          "invalid usage was contained"),
    (227, "INSUFFICIENT_LOADER_VERSION",        "the loader is older than the program needs"),
    (300, "INVALID_SOURCE",                     "device kernel image is invalid"),
    (301, "FILE_NOT_FOUND",                     "file not found"),
    (302, "SHARED_OBJECT_SYMBOL_NOT_FOUND",     "shared object symbol not found"),
    (303, "SHARED_OBJECT_INIT_FAILED",          "shared object initialization failed"),
    (304, "OPERATING_SYSTEM",                   "OS call failed or operation not supported on this OS"),
    (400, "INVALID_HANDLE",                     "invalid resource handle"),
    (401, "ILLEGAL_STATE",                      "the operation cannot be performed in the present state"),
    (402, "LOSSY_QUERY",                        "the result would not say all that there is"),
    (500, "NOT_FOUND",                          "named symbol not found"),
    (600, "NOT_READY",                          "device not ready"),
    (700, "ILLEGAL_ADDRESS",                    "an illegal memory access was encountered"),
    (701, "LAUNCH_OUT_OF_RESOURCES",            "too many resources requested for launch"),
    (702, "LAUNCH_TIMEOUT",                     "the launch timed out and was terminated"),
    (703, "LAUNCH_INCOMPATIBLE_TEXTURING",      "launch uses incompatible texturing mode"),
    (704, "PEER_ACCESS_ALREADY_ENABLED",        "peer access is already enabled"),
    (705, "PEER_ACCESS_NOT_ENABLED",            "peer access has not been enabled"),
    (708, "PRIMARY_CONTEXT_ACTIVE",             "cannot set while device is active in this process"),
    (709, "CONTEXT_IS_DESTROYED",               "context is destroyed"),
    (710, "ASSERT",                             "device-side assert triggered"),
    (711, "TOO_MANY_PEERS",                     "peer mapping resources exhausted"),
    (712, "HOST_MEMORY_ALREADY_REGISTERED",     "part or all of the requested memory range is already mapped"),
    (713, "HOST_MEMORY_NOT_REGISTERED",         "pointer does not correspond to a registered memory region"),
    (714, "HARDWARE_STACK_ERROR",               "hardware stack error"),
    (715, "ILLEGAL_INSTRUCTION",                "an illegal instruction was encountered"),
    (716, "MISALIGNED_ADDRESS",                 "misaligned address"),
    (717, "INVALID_ADDRESS_SPACE",              "operation not supported on global/shared address space"),
    (718, "INVALID_PC",                         "invalid program counter"),
    (719, "LAUNCH_FAILED",                      "unspecified launch failure"),
    (720, "COOPERATIVE_LAUNCH_TOO_LARGE",       "too many blocks in cooperative launch"),
    (721, "TENSOR_MEMORY_LEAK",                 "a block has ended without freeing its tensor memory"),
    (800, "NOT_PERMITTED",                      "operation not permitted"),
    (801, "NOT_SUPPORTED",                      "operation not supported"),
    (802, "SYSTEM_NOT_READY",                   "system not yet initialized"),
    (803, "SYSTEM_DRIVER_MISMATCH",             "system has unsupported display driver / cuda driver combination"),
    (804, "COMPAT_NOT_SUPPORTED_ON_DEVICE",     "forward compatibility was attempted on non supported HW"),
    (805, "MPS_CONNECTION_FAILED",              "MPS client failed to connect to the MPS control daemon"),
    (806, "MPS_RPC_FAILURE",                    "the remote procedural call between the MPS server and client failed"),
    (807, "MPS_SERVER_NOT_READY",               "MPS server is not ready to accept new MPS client requests"),
    (808, "MPS_MAX_CLIENTS_REACHED",            "the hardware resources required to create MPS client are exhausted"),
    (809, "MPS_MAX_CONNECTIONS_REACHED",        "the hardware resources to support device connections are exhausted"),
    (810, "MPS_CLIENT_TERMINATED",              "the MPS client has been terminated by the server"),
    (811, "CDP_NOT_SUPPORTED",                  "CUDA dynamic parallelism is not supported"),
    (812, "CDP_VERSION_MISMATCH",               "unsupported interaction between versions of dynamic parallelism"),
    (900, "STREAM_CAPTURE_UNSUPPORTED",         "operation not permitted when stream is capturing"),
    (901, "STREAM_CAPTURE_INVALIDATED",         "operation failed due to a previous error during capture"),
    (902, "STREAM_CAPTURE_MERGE",               "operation would result in a merge of separate capture sequences"),
    (903, "STREAM_CAPTURE_UNMATCHED",           "capture was not ended in the same stream as it began"),
    (904, "STREAM_CAPTURE_UNJOINED",            "capturing stream has unjoined work"),
    (905, "STREAM_CAPTURE_ISOLATION",           "dependency created on uncaptured work in another stream"),
    (906, "STREAM_CAPTURE_IMPLICIT",            "operation would make the legacy stream depend on a capturing stream"),
    (907, "CAPTURED_EVENT",                     "the event was last recorded in a capturing stream"),
    (908, "STREAM_CAPTURE_WRONG_THREAD",        "a thread-local capture was ended by another thread"),
    (909, "TIMEOUT",                            "wait operation timed out"),
    (910, "GRAPH_EXEC_UPDATE_FAILURE",          "the graph update was not performed because it included changes which "
                                                "violated constraints specific to instantiated graph update"),
    (911, "EXTERNAL_DEVICE",                    "an async error has occurred in external entity outside of CUDA"),
    (912, "INVALID_CLUSTER_SIZE",               "a kernel launch error has occurred due to cluster misconfiguration"),
    (913, "FUNCTION_NOT_LOADED",                "the function is not loaded"),
    (914, "INVALID_RESOURCE_TYPE",              "a resource passed to the call is of a wrong type"),
    (915, "INVALID_RESOURCE_CONFIGURATION",     "resources passed to the call do not fit each other"),
    (916, "KEY_ROTATION",                       "a key was changed meanwhile"),
    (917, "STREAM_DETACHED",                    "the stream has no context any more"),
    (918, "GRAPH_RECAPTURE_FAILURE",            "the graph could not be captured again"),
    (919, "FABRIC_NOT_READY",                   "the fabric is not ready"),
    (999, "UNKNOWN",                            "unknown error"),
)
# fmt: on
RESULTS = tuple(
    Row(number, name if name == "CUDA_SUCCESS" else f"CUDA_ERROR_{name}", text) for number, name, text in _ROWS
)


class Result(IntEnum):
    """The results that the driver's functions return."""

    SUCCESS = 0
    INVALID_VALUE = 1
    OUT_OF_MEMORY = 2
    NOT_INITIALIZED = 3
    INVALID_DEVICE = 101
    INVALID_IMAGE = 200
    INVALID_CONTEXT = 201
    NO_BINARY_FOR_GPU = 209
    UNSUPPORTED_LIMIT = 215
    PEER_ACCESS_UNSUPPORTED = 217
    INVALID_PTX = 218
    INVALID_GRAPHICS_CONTEXT = 219
    UNSUPPORTED_PTX_VERSION = 222
    FILE_NOT_FOUND = 301
    OPERATING_SYSTEM = 304
    INVALID_HANDLE = 400
    ILLEGAL_STATE = 401
    NOT_FOUND = 500
    NOT_READY = 600
    ILLEGAL_ADDRESS = 700
    LAUNCH_OUT_OF_RESOURCES = 701
    LAUNCH_TIMEOUT = 702
    PEER_ACCESS_NOT_ENABLED = 705
    PRIMARY_CONTEXT_ACTIVE = 708
    CONTEXT_IS_DESTROYED = 709
    ASSERT = 710
    HOST_MEMORY_ALREADY_REGISTERED = 712
    HOST_MEMORY_NOT_REGISTERED = 713
    HARDWARE_STACK_ERROR = 714
    MISALIGNED_ADDRESS = 716
    INVALID_PC = 718
    LAUNCH_FAILED = 719
    COOPERATIVE_LAUNCH_TOO_LARGE = 720
    NOT_SUPPORTED = 801
    STREAM_CAPTURE_UNSUPPORTED = 900
    STREAM_CAPTURE_INVALIDATED = 901
    STREAM_CAPTURE_MERGE = 902
    STREAM_CAPTURE_UNMATCHED = 903
    STREAM_CAPTURE_UNJOINED = 904
    STREAM_CAPTURE_ISOLATION = 905
    STREAM_CAPTURE_IMPLICIT = 906
    CAPTURED_EVENT = 907
    STREAM_CAPTURE_WRONG_THREAD = 908
    GRAPH_EXEC_UPDATE_FAILURE = 910
    INVALID_CLUSTER_SIZE = 912
    UNKNOWN = 999
