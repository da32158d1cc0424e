"""Textures, samplers and surfaces: how coordinates become texels (CUDA Programming Guide, Texture Fetching)."""
