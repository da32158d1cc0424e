"""Words of other languages and assemblers, and their PTX equivalents."""

from __future__ import annotations

from openptx.diagnostics import SUGGESTION, Diagnostic, Fix
from openptx.source import Span

# fmt: off
MNEMONICS = {
    "asr": "shr", "atomic": "atom", "atomicadd": "atom", "b": "bra", "branch": "bra", "br": "bra", "cmp": "setp",
    "convert": "cvt", "exp": "ex2", "exp2": "ex2", "fadd": "add", "ffma": "fma",
    "fmad": "fma", "fmul": "mul", "goto": "bra", "iadd": "add", "imad": "mad", "jmp": "bra", "jump": "bra",
    "ldg": "ld", "load": "ld", "log": "lg2", "log2": "lg2", "lsl": "shl", "lsr": "shr", "mod": "rem", "move": "mov",
    "ldc": "ld", "lds": "ld", "ldr": "ld", "iadd3": "add", "isetp": "setp", "fsetp": "setp", "lop": "lop3",
    "s2r": "mov", "sel": "selp", "sts": "st",
    "return": "ret", "select": "selp", "shuffle": "shfl", "store": "st", "stg": "st", "__syncthreads": "bar",
}
TYPES = {
    "bfloat16": "bf16", "bool": "pred", "char": "s8", "double": "f64", "dword": "b32", "float": "f32",
    "float32": "f32", "float64": "f64", "fp16": "f16", "fp32": "f32", "fp64": "f64", "half": "f16", "i8": "s8",
    "i16": "s16", "i32": "s32", "i64": "s64", "int": "s32", "int8": "s8", "int16": "s16", "int32": "s32",
    "int64": "s64", "long": "s64", "short": "s16", "uchar": "u8", "uint": "u32", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "ulong": "u64", "unsigned": "u32", "ushort": "u16",
}
MODIFIERS = {
    **TYPES, "block": "cta", "constant": "const", "device": "gpu", "private": "local", "readonly": "nc",
    "dn": "down", "gpu": "gl", "greater": "gt", "less": "lt", "system": "sys",
    "workgroup": "cta", "xchg": "exch", "xor": "bfly",
}
ADVICE = {
    "cluster": "the barrier of a cluster is `barrier.cluster.arrive`, then `barrier.cluster.wait`",
    "syncthreads": "write `bar.sync 0;`",
    "break": "leave a loop or a switch with `bra` to a label after it",
    "case": "a case is a label, and `.branchtargets` lists them for `brx.idx`",
    "continue": "go on with a loop by `bra` to a label at its beginning or end",
    "else": "end the statements before with `bra` over these, and begin these with a label",
    "inc": "add one: `add.u32 d, a, 1;`",
    "dec": "subtract one: `sub.u32 d, a, 1;`",
    "lea": "`mov.u64 d, variable;` takes an address, `mad.wide.u32 d, index, size, base;` computes one",
    "nop": "PTX has no instruction that does nothing: leave it out",
    "pop": "PTX has no stack pointer: declare an array in `.local`, and use `ld.local`",
    "pow": "`ex2.approx.f32` of `b` times `lg2.approx.f32` of `a`",
    "push": "PTX has no stack pointer: declare an array in `.local`, and use `st.local`",
}
"""What to do instead of instructions that PTX lacks."""
OMITTED = {"generic": "an address without a state space is generic"}
"""Modifiers of other languages that mean what PTX means without a modifier, and why."""
REGISTERS = {
    "blockdim": "ntid", "blockid": "ctaid", "blockidx": "ctaid", "blocksize": "ntid", "griddim": "nctaid",
    "gridsize": "nctaid", "lane": "laneid", "threadid": "tid", "threadidx": "tid", "warp": "warpid",
    "srtid": "tid", "srctaid": "ctaid", "srlaneid": "laneid", "srclocklo": "clock",
}
DEVICE_FUNCTIONS = {
    "__assertfail": ".func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, "
    ".param .b64 function, .param .b64 size);",
    "free": ".func free(.param .b64 pointer);",
    "malloc": ".func (.param .b64 pointer) malloc(.param .b64 size);",
    "vprintf": ".func (.param .b32 count) vprintf(.param .b64 format, .param .b64 arguments);",
}
WHOLE = {
    "__activemask": "activemask.b32 %r;", "__syncthreads": "bar.sync 0;", "__syncwarp": "bar.warp.sync 0xffffffff;",
    "__threadfence": "membar.gl;", "__threadfence_block": "membar.cta;", "__threadfence_system": "membar.sys;",
    "__trap": "trap;", "__brkpt": "brkpt;", "barrier": "bar.sync 0;", "return": "ret;",
}
CALLS = {
    "__all_sync": "vote.sync.all.pred p, a, mask;", "__any_sync": "vote.sync.any.pred p, a, mask;",
    "__ballot_sync": "vote.sync.ballot.b32 d, a, mask;", "__brev": "brev.b32 d, a;", "__clz": "clz.b32 d, a;",
    "__cvta_generic_to_shared": "cvta.to.shared.u64 d, a;", "__expf": "ex2.approx.f32 d, a; of a times log2(e)",
    "__fmaf_rn": "fma.rn.f32 d, a, b, c;", "__ldg": "ld.global.nc.f32 d, [a];",
    "__logf": "lg2.approx.f32 d, a; times ln(2)",
    "__nanosleep": "nanosleep.u32 t;", "__popc": "popc.b32 d, a;",
    "__shfl_down_sync": "shfl.sync.down.b32 d, a, delta, 0x1f, mask;",
    "__shfl_sync": "shfl.sync.idx.b32 d, a, lane, 0x1f, mask;",
    "__shfl_up_sync": "shfl.sync.up.b32 d, a, delta, 0x0, mask;",
    "__shfl_xor_sync": "shfl.sync.bfly.b32 d, a, lanemask, 0x1f, mask;", "__umulhi": "mul.hi.u32 d, a, b;",
    "abs": "abs.s32 d, a;", "assert": "setp and a guarded trap;", "atomicAdd": "atom.global.add.u32 d, [a], b;",
    "atomicAnd": "atom.global.and.b32 d, [a], b;", "atomicCAS": "atom.global.cas.b32 d, [a], compare, value;",
    "atomicExch": "atom.global.exch.b32 d, [a], b;", "atomicMax": "atom.global.max.s32 d, [a], b;",
    "atomicMin": "atom.global.min.s32 d, [a], b;", "atomicOr": "atom.global.or.b32 d, [a], b;",
    "atomicXor": "atom.global.xor.b32 d, [a], b;", "clock": "mov.u32 d, %clock;", "clock64": "mov.u64 d, %clock64;",
    "ballot": "vote.sync.ballot.b32 d, a, mask;", "cosf": "cos.approx.f32 d, a;", "exp2f": "ex2.approx.f32 d, a;",
    "expf": "ex2.approx.f32 d, a; of a times log2(e)",
    "do": "a label before the loop, and at its end setp and a guarded bra to it",
    "else": "bra over these statements at the end of the others, and a label here",
    "fabsf": "abs.f32 d, a;", "fmaf": "fma.rn.f32 d, a, b, c;", "fmaxf": "max.f32 d, a, b;",
    "fminf": "min.f32 d, a, b;",
    "for": "setp, a label and a guarded bra;", "if": "setp and a guarded bra: @%p bra L;",
    "log2f": "lg2.approx.f32 d, a;", "logf": "lg2.approx.f32 d, a; times ln(2)", "max": "max.s32 d, a, b;",
    "memcpy": "a loop of ld and st;", "min": "min.s32 d, a, b;", "printf": "a call of vprintf;",
    "rsqrtf": "rsqrt.approx.f32 d, a;", "sinf": "sin.approx.f32 d, a;", "sqrtf": "sqrt.rn.f32 d, a;",
    "switch": "brx.idx and a .branchtargets;", "tanhf": "tanh.approx.f32 d, a;",
    "while": "setp, a label and a guarded bra;",
}
ABSENT = {
    ("fma", "s"): "the product of integers is not rounded: `mad.lo`, `mad.hi` or `mad.wide`",
    ("fma", "u"): "the product of integers is not rounded: `mad.lo`, `mad.hi` or `mad.wide`",
    ("rem", "f"): "there is no remainder of floats: `div`, `cvt.rzi` of the quotient, and `fma` with its negative",
    ("st", "const"): "`.const` is read-only to kernels: store in `.global`; the host writes `.const` before the launch",
    ("st", "nc"): "`.nc` is a way to load; a store has no read-only path",
    ("atom", "sub"): "there is no `.sub`: negate the operand first, and write `.add`",
    ("red", "sub"): "there is no `.sub`: negate the operand first, and write `.add`",
    ("red", "exch"): "nothing is combined: write `atom` with the result `_`, or `st`",
    ("red", "cas"): "write `atom.cas`: its result tells whether the value was stored",
    ("selp", "pred"): "select predicates by logic: `and.pred`, `or.pred` and `not.pred`",
    ("st", "pred"): "make it a number first: `selp.u32 %r, 1, 0, %p;`",
    ("ld", "pred"): "load a number, and compare it: `setp.ne.u32 %p, %r, 0;`",
    ("bra", "cond"): "a guard makes a branch conditional: `@%p bra L;`",
    ("bar", "cluster"): "the barrier of a cluster is `barrier.cluster.arrive`, then `barrier.cluster.wait`",
    ("fence", "view"): "`fence.proxy.async` orders accesses of the generic proxy and the async proxy",
    ("mbarrier", "global"): "an mbarrier lies in shared memory: `.shared`",
    ("mbarrier", "wait"): "repeat `mbarrier.try_wait` until its predicate is true",
    ("setp", "pred"): "predicates differ where `xor.pred` is true; `not.pred` of that is equality",
    ("atom", "const"): "`.const` is read-only to kernels: use `.global`",
    ("ld", "v3"): "there is no `.v3`: load `.v2` and a scalar, or `.v4` where 16 bytes are there and aligned",
    ("st", "v3"): "there is no `.v3`: store `.v2` and a scalar, or `.v4` where 16 bytes are there and aligned",
}
"""Features of other languages that PTX lacks, by mnemonic and modifier, or kind of type."""
# fmt: on


def absent(mnemonic: str, modifier: str, kind: str | None) -> str | None:
    """Why a mnemonic lacks a modifier, or every type of a kind, and what to write instead."""
    return ABSENT.get((mnemonic, modifier)) or ABSENT.get((mnemonic, kind or ""))


def instead_of_call(found: Diagnostic, statement: Span) -> Diagnostic:
    """The diagnostic about `name(...)`, with the PTX equivalent of the name."""
    name = found.file.text[slice(*found.span)]
    if (whole := WHOLE.get(name)) is not None:
        span = found.span[0], statement[1]
        plain = "%" not in whole and found.file.text.endswith(";", *statement)
        return found.advising(f"write `{whole}`", Fix(span, whole, f"write `{whole}`", SUGGESTION) if plain else None)
    written = CALLS.get(name)
    return found.advising(f"the PTX equivalent is {format_call(written)}" if written else found.help, None)


def format_call(written: str) -> str:
    """A row of `CALLS` as in a sentence: code up to its semicolon, then words."""
    code, semicolon, rest = written.partition(";")
    return (
        f"`{code};`{rest}" if rest or " d" in code or "%" in code or "[" in code else code + semicolon.replace(";", "")
    )
