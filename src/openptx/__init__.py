"""OpenPTX: check, run and understand NVIDIA PTX on any computer, without a GPU."""

__version__ = "0.1.0"
