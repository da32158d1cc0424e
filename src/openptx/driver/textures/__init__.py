"""CUDA arrays, and the texture and surface objects and references that show them."""
