"""Words of other languages and assemblers, and what PTX has for them."""

from __future__ import annotations

# fmt: off
MNEMONICS = {
    "asr": "shr", "atomic": "atom", "atomicadd": "atom", "b": "bra", "branch": "bra", "br": "bra", "cmp": "setp",
    "convert": "cvt", "exp": "ex2", "exp2": "ex2", "fmad": "fma", "goto": "bra", "jmp": "bra", "jump": "bra",
    "ldg": "ld", "load": "ld", "log": "lg2", "log2": "lg2", "lsl": "shl", "lsr": "shr", "mod": "rem", "move": "mov",
    "return": "ret", "select": "selp", "shuffle": "shfl", "store": "st", "stg": "st", "__syncthreads": "bar",
}
TYPES = {
    "bool": "pred", "char": "s8", "double": "f64", "float": "f32", "half": "f16", "i8": "s8", "i16": "s16",
    "i32": "s32", "i64": "s64", "int": "s32", "long": "s64", "short": "s16", "uchar": "u8", "uint": "u32",
    "ulong": "u64", "unsigned": "u32", "ushort": "u16",
}
REGISTERS = {
    "blockdim": "ntid", "blockidx": "ctaid", "griddim": "nctaid", "lane_id": "laneid",
    "threadidx": "tid", "warp_id": "warpid",
}
# fmt: on
