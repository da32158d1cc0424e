"""NVIDIA's management library (NVML) counts, names and describes the devices of the driver; it has no sensors."""

import ctypes

nvml = ctypes.CDLL("libnvidia-ml.so.1")
nvml.nvmlErrorString.restype = ctypes.c_char_p
SUCCESS, UNINITIALIZED, INVALID_ARGUMENT, NOT_SUPPORTED, INSUFFICIENT_SIZE = 0, 1, 2, 3, 7


class PciInfo(ctypes.Structure):
    _fields_ = [
        ("legacy", ctypes.c_char * 16),
        *((name, ctypes.c_uint) for name in ("domain", "bus", "device", "device_id", "subsystem_id")),
        ("id", ctypes.c_char * 32),
    ]


class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]


count, version, major, minor = ctypes.c_uint(), ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
handle, name = ctypes.c_void_p(), ctypes.create_string_buffer(96)
assert nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == UNINITIALIZED
assert nvml.nvmlShutdown() == UNINITIALIZED
assert nvml.nvmlInit_v2() == SUCCESS
assert nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == SUCCESS
assert count.value == 1
assert nvml.nvmlDeviceGetCount_v2(None) == INVALID_ARGUMENT
assert nvml.nvmlSystemGetCudaDriverVersion_v2(ctypes.byref(version)) == SUCCESS
assert version.value == 13000
assert nvml.nvmlDeviceGetHandleByIndex_v2(1, ctypes.byref(handle)) == INVALID_ARGUMENT
assert nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(handle)) == SUCCESS
assert nvml.nvmlDeviceGetCudaComputeCapability(handle, ctypes.byref(major), ctypes.byref(minor)) == SUCCESS
assert (major.value, minor.value) == (9, 0)
assert nvml.nvmlDeviceGetName(handle, name, 96) == SUCCESS
assert name.value == b"OpenPTX sm_90"
assert nvml.nvmlDeviceGetName(handle, name, 4) == INSUFFICIENT_SIZE
assert nvml.nvmlDeviceGetName(None, name, 96) == INVALID_ARGUMENT
release = ctypes.create_string_buffer(80)
assert nvml.nvmlSystemGetDriverVersion(release, 80) == SUCCESS
assert release.value == b"580.65.06"
assert nvml.nvmlSystemGetDriverVersion(release, 4) == INSUFFICIENT_SIZE
assert nvml.nvmlDeviceGetUUID(handle, name, 96) == SUCCESS
assert (name.value[:4], len(name.value)) == (b"GPU-", 40)
pci = PciInfo()
assert nvml.nvmlDeviceGetPciInfo_v3(handle, ctypes.byref(pci)) == SUCCESS
assert (pci.bus, pci.legacy, pci.id) == (1, b"0000:01:00.0", b"00000000:01:00.0")
for older, end in ((nvml.nvmlDeviceGetPciInfo, "subsystem_id"), (nvml.nvmlDeviceGetPciInfo_v2, "id")):
    written = PciInfo.from_buffer_copy(b"\xff" * ctypes.sizeof(PciInfo))
    size = getattr(PciInfo, end).offset
    assert older(handle, ctypes.byref(written)) == SUCCESS
    assert bytes(written) == bytes(pci)[:size] + b"\xff" * (ctypes.sizeof(PciInfo) - size)
    assert older(handle, None) == INVALID_ARGUMENT
memory = Memory()
assert nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) == SUCCESS
assert 0 < memory.free <= memory.total

cuda, context, buffer = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuCtxCreate_v4(ctypes.byref(context), None, 0, 0) == SUCCESS
assert cuda.cuMemAlloc_v2(ctypes.byref(buffer), 1 << 20) == SUCCESS
assert nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) == SUCCESS
assert memory.used >= 1 << 20
assert memory.free + memory.used == memory.total
for of_two in (nvml.nvmlDeviceGetMigMode, nvml.nvmlDeviceGetComputeRunningProcesses_v3, nvml.nvmlDeviceGetTemperature):
    assert of_two(handle, ctypes.byref(count), ctypes.byref(version)) == NOT_SUPPORTED
    assert of_two(None, ctypes.byref(count), ctypes.byref(version)) == INVALID_ARGUMENT
assert nvml.nvmlErrorString(INVALID_ARGUMENT) == b"Invalid Argument"
assert not hasattr(nvml, "nvmlDeviceGetPowerUsage")
assert nvml.nvmlShutdown() == SUCCESS
assert nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == UNINITIALIZED
