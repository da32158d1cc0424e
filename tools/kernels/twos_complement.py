"""Integers as signed types of C hold them."""


def signed(v: int, bits: int = 32) -> int:
    """The low bits of a number as a signed one."""
    return (v + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
