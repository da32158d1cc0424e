"""Translates NVIDIA's machine code back to PTX, so that what ptxas made of a kernel can be executed here."""
