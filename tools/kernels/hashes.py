"""Cases of hashes.cu: by hashlib and zlib if they have the hash, else by a few lines of Python."""

import hashlib
import struct
import zlib

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case

M32, M64 = 2**32 - 1, 2**64 - 1


@case("hashes.cu", "sha256", grid=2, block=7, builds=("sm_80", "sm_75", "sm_90a", "sm_80 -G"))
def sha256(r: Generator):
    a = r.integers(0, 256, (13, 57), dtype=np.uint8)
    digests = b"".join(hashlib.sha256(row.tobytes()).digest() for row in a)
    return a, Out(np.frombuffer(digests, np.uint8)), np.int32(57), np.int32(13)


def _rotl(v: int, n: int, width: int = 32) -> int:
    return (v << n | v >> (width - n)) & ((1 << width) - 1)


def _murmur3(data: bytes, h: int) -> int:
    for i in range(0, len(data), 4):
        k = int.from_bytes(data[i : i + 4], "little")
        h ^= _rotl(k * 0xCC9E2D51 & M32, 15) * 0x1B873593 & M32
        if i + 4 <= len(data):
            h = (_rotl(h, 13) * 5 + 0xE6546B64) & M32
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & M32
    h = (h ^ h >> 13) * 0xC2B2AE35 & M32
    return h ^ h >> 16


@case("hashes.cu", "murmur3", block=40)
def murmur3(_: Generator):
    data = b"the quick brown fox jumps over it"
    hashes = [_murmur3(data[:n], 0x9747B28C) for n in range(34)]
    return np.frombuffer(data, np.uint8), Out(np.array(hashes, np.uint32)), np.uint32(0x9747B28C), np.int32(33)


@case("hashes.cu", "crc32", block=70, builds=("sm_80", "sm_120"))
def crc32(r: Generator):
    a = r.integers(0, 256, 70, dtype=np.uint8)
    return a, Out(np.array([zlib.crc32(a[:n].tobytes()) for n in range(70)], np.uint32))


def _siphash(data: bytes, k0: int, k1: int) -> int:
    a, b, c, d = (
        k ^ v for k, v in zip((k0, k1, k0, k1), struct.unpack(">4Q", b"somepseudorandomlygeneratedbytes"), strict=True)
    )

    def rounds(n: int) -> None:
        nonlocal a, b, c, d
        for _ in range(n):
            a, c = (a + b) & M64, (c + d) & M64
            b, d = _rotl(b, 13, 64) ^ a, _rotl(d, 16, 64) ^ c
            a = _rotl(a, 32, 64)
            c, a = (c + b) & M64, (a + d) & M64
            b, d = _rotl(b, 17, 64) ^ c, _rotl(d, 21, 64) ^ a
            c = _rotl(c, 32, 64)

    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data)])
    for (m,) in struct.iter_unpack("<Q", padded):
        d ^= m
        rounds(2)
        a ^= m
    c ^= 255
    rounds(4)
    return a ^ b ^ c ^ d


@case("hashes.cu", "siphash", block=33)
def siphash(_: Generator):
    data, k0, k1 = bytes(range(33)), 0x0706050403020100, 0x0F0E0D0C0B0A0908
    hashes = [_siphash(data[:n], k0, k1) for n in range(33)]
    assert hashes[15] == 0xA129CA6149BE45E5  # the published vector
    return np.frombuffer(data, np.uint8), Out(np.array(hashes, np.uint64)), np.uint64(k0), np.uint64(k1)


def _chacha20(key: list[int], counter: int) -> list[int]:
    s = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key[:8], counter, *key[8:]]
    x = list(s)
    for _ in range(10):
        for a, b, c, d in (
            *((i, i + 4, i + 8, i + 12) for i in range(4)),
            *((i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4) for i in range(4)),
        ):
            for p, q, t, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[p] = (x[p] + x[q]) & M32
                x[t] = _rotl(x[t] ^ x[p], n)
    return [(v + w) & M32 for v, w in zip(x, s, strict=True)]


@case("hashes.cu", "chacha20", block=20, builds=("sm_80", "sm_89"))
def chacha20(_: Generator):
    key = [*struct.unpack("<8I", bytes(range(32))), 0x09000000, 0x4A000000, 0]
    assert _chacha20(key, 1)[0] == 0xE4E7F110  # RFC 8439, 2.3.2
    blocks = [_chacha20(key, 1 + t) for t in range(20)]
    return np.array(key, np.uint32), Out(np.array(blocks, np.uint32)), np.uint32(1)


@case("hashes.cu", "merkle", block=128)
def merkle(r: Generator):
    leaves = r.integers(0, 2**32, 128, dtype=np.uint32)

    def fnv(h: int, data: bytes) -> int:
        for byte in data:
            h = (h ^ byte) * 0x100000001B3 & M64
        return h

    level = [fnv(0xCBF29CE484222325, leaf.tobytes()) for leaf in leaves]
    while len(level) > 1:
        level = [fnv(a, b.to_bytes(8, "little")) for a, b in zip(level[::2], level[1::2], strict=True)]
    return leaves, Out(np.array(level, np.uint64))
