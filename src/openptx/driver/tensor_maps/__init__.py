"""Tensor maps, `CUtensorMap` (CUDA Driver API: tensor map object management)."""
