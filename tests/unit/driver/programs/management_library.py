"""NVIDIA's management library (NVML) counts and names the devices of the driver, and has no other functions."""

import ctypes

nvml = ctypes.CDLL("libnvidia-ml.so.1")
nvml.nvmlErrorString.restype = ctypes.c_char_p
SUCCESS, UNINITIALIZED, INVALID_ARGUMENT, INSUFFICIENT_SIZE = 0, 1, 2, 7

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
assert nvml.nvmlErrorString(INVALID_ARGUMENT) == b"Invalid Argument"
assert not hasattr(nvml, "nvmlDeviceGetTemperature")
assert nvml.nvmlShutdown() == SUCCESS
assert nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == UNINITIALIZED
