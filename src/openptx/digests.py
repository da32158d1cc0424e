"""Digests that name files of caches, and tell whether one is intact."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # `hashlib` has the same, but loads OpenSSL: 2 to 7 ms of every command and launch
except ImportError:
    from hashlib import blake2b

SIZE = 32
"""Bytes of a digest."""


def digest(data: bytes, size: int = SIZE) -> bytes:
    return blake2b(data, digest_size=size).digest()


def text_digest(text: str) -> str:
    """The hexadecimal digest of a text, which may have lone surrogates."""
    return digest(text.encode("utf-8", "surrogatepass")).hex()
