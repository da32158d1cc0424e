"""OpenPTX: check, run and understand NVIDIA PTX on any computer, without a GPU."""
