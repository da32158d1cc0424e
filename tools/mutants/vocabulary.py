"""Replacement words for mutations."""

from __future__ import annotations

# fmt: off
TYPES = (
    "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2",
    "bf16", "bf16x2", "tf32", "f32", "f64", "f32x2", "pred", "e4m3", "e5m2", "e4m3x2", "e2m1x2", "u16x2",
    "s16x2",
)
REGISTERS = (
    "b8", "b16", "b32", "b64", "b128", "u16", "u32", "u64", "s32", "s64", "f16", "f16x2", "f32", "f64", "pred",
)
SPACES = (
    "global", "shared", "local", "const", "param", "shared::cta", "shared::cluster", "param::entry", "generic",
    "reg",
)
VECTORS = (
    "v2", "v4", "v8", "x1", "x2", "x4",
)
NUMBERS = (
    "0", "1", "2", "3", "4", "7", "8", "15", "16", "17", "31", "32", "33", "63", "64", "127", "128", "255",
    "256", "257", "512", "1023", "1024", "1025", "4095", "65535", "65536", "-1", "-8", "-128", "2147483648",
    "4294967295", "4294967296", "0x8000000000000000", "18446744073709551616", "1.0", "0f3F800000",
    "0d3FF0000000000000", "0x1p3", "08", "1U",
)
VERSIONS = (
    "1.0", "2.3", "3.1", "4.3", "5.0", "6.0", "6.2", "6.5", "7.0", "7.1", "7.4", "7.8", "8.0", "8.1", "8.3",
    "8.5", "8.6", "8.7", "8.8", "9.0", "9.1", "9.2", "9.3", "9.4", "9.5", "9.6", "10.0", "7", "7.00", "08.0",
)
TARGETS = (
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f",
    "sm_103", "sm_103a", "sm_107", "sm_107a", "sm_110a", "sm_120", "sm_120a", "sm_121a", "sm_121f", "sm_90f",
    "sm_95", "sm_999",
)
SPECIAL = (
    "%tid.x", "%tid", "%clock64", "%laneid", "WARP_SZ", "_", "%envreg3",
)
WORDS = (
    ".global", ".shared", ".local", ".const", ".param", ".reg", ".align", ".extern", ".visible", ".weak",
    ".common", ".entry", ".func", ".b8", ".b16", ".b32", ".b64", ".u8", ".u32", ".u64", ".s32", ".f16", ".f32",
    ".f64", ".pred", ".f16x2", ".v2", ".v4", ".ptr", ".noreturn", ".maxntid", ".reqntid", ".minnctapersm",
    ".maxnreg", ".explicitcluster", ".reqnctapercluster", ".maxclusterrank", ".pragma", ".alias", ".attribute",
    ".managed", ".section", ".file", ".loc", ".branchtargets", ".callprototype", ".texref", ".samplerref",
    ".surfref", ".b128", ".generic", "generic", "mask", "0", "1", "2", "3", "4", "5", "7", "8", "16", "32",
    "64", "100", "128", "256", "1024", "1025", "65536", "65535", "4294967296", "-1", "1.5", "0f3F800000", "{",
    "}", "(", ")", "[", "]", ",", ";", "=", "<", ">", "+", "-", ":", "%", "%r", "%p", "_", "a", "b", "foo",
)
# fmt: on
LIMITS = tuple(
    f"{sign}{(1 << bits) + more}"
    for bits in (3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64)
    for more in (-1, 0, 1)
    for sign in ("", "-")
)
"""Integers at the limits of types, and beyond them."""
BASES = (
    "{:#x}",
    "{:#b}",
    "0{:o}",
    "{:#X}U",
    "{}U",
    "{}.0",
    "({})",
    "+{}",
    "~{}",
    "{} + 0",
    "(.s64){}",
    "0F{:08X}",
    "0d{:016x}",
    "0x{:x}.0",
)
"""How an integer is written: in bases, as a float's bits, in an expression."""
AFFIXES = (
    "%{}",
    "${}",
    "_{}",
    "{}_",
    "{}$",
    "{}%",
    "%%{}",
    "{}.x",
    "{}.b0",
    "{}::x",
    "{}0",
    "{}<1>",
    ".{}",
    "{}@4",
    "{}'",
    "0{}",
)
"""What is put before or after a name."""
