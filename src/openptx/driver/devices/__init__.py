"""The device and its contexts (CUDA Driver API: device, primary context and context management)."""
