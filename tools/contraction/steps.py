"""Executes machine code on expressions: what each instruction does."""

from __future__ import annotations

import re
from collections.abc import Callable

from contraction.expressions import (
    Expression,
    absolute,
    bits,
    extreme,
    fused,
    half,
    holds,
    is_bits,
    make,
    negated,
    pack,
    product,
    total,
)
from contraction.listing import Instruction
from contraction.machine import BANK, LONGEST, SCALES, Machine, Unreadable, following, put
from contraction.programs import ROUNDS

IGNORED = frozenset((
    "NOP", "BSSY", "BSYNC", "WARPSYNC", "MEMBAR", "ERRBAR", "CCTL", "CGAERRBAR", "BAR", "PMTRIG", "DEPBAR", "S2R",
    "S2UR", "R2UR", "YIELD", "FENCE", "CCTLL",
))  # fmt: skip
_OFFSET = re.compile(r"\+?(-?0x[0-9a-f]+)\]")


def run(m: Machine) -> dict[int, Expression]:
    """The half words that a kernel has stored at its end, by offset in the memory of its second parameter."""
    at, code = 0, m.listing.code
    for _ in range(LONGEST):
        i = code[at]
        at += 1
        if i.guard is not None and m.truth(i.guard[1]) == i.guard[0]:
            continue
        name = i.opcode.split(".")[0]
        if name == "EXIT":
            return m.stored
        if name == "BRA":
            if all(m.truth(o) for o in i.operands[:-1]):
                at = m.listing.labels[i.operands[-1].strip("`()")]
        elif name not in IGNORED:
            execute(m, name, i)
    raise Unreadable("does not end")


def execute(m: Machine, name: str, i: Instruction) -> None:
    step = STEPS.get(name) or STEPS.get(name.removeprefix("U"))
    if step is not None:
        step(m, i)
    elif i.operands and re.match(r"U?R\d", i.operands[0]):
        m.registers[i.operands[0]] = make("?", i.text)
    else:
        raise Unreadable(i.text)


def flags_of(i: Instruction) -> str:
    return "".join(f.lower() for f in (".FTZ", ".SAT") if f in i.opcode)


# f32.


def multiply(m: Machine, i: Instruction) -> None:
    scale = next((f for f in SCALES if f in i.opcode), "")
    m.registers[i.operands[0]] = product("f32", flags_of(i) + scale, *map(m.word, i.operands[1:3]))


def add(m: Machine, i: Instruction) -> None:
    a, b = map(m.word, i.operands[1:3])
    flags = flags_of(i)
    m.registers[i.operands[0]] = total("f32", flags, a, b)


def fuse(m: Machine, i: Instruction) -> None:
    m.registers[i.operands[0]] = fused("f32", flags_of(i), *map(m.word, i.operands[1:4]))


def extreme_f32(m: Machine, i: Instruction) -> None:
    name = "min" if m.truth(i.operands[-1]) else "max"
    m.registers[i.operands[0]] = extreme(name, "f32", *map(m.word, i.operands[1:-1]))


def select(m: Machine, i: Instruction) -> None:
    m.registers[i.operands[0]] = m.word(i.operands[1 if m.truth(i.operands[3]) else 2])


# f64.


def double_arithmetic(name: str) -> Callable[[Machine, Instruction], None]:
    def step(m: Machine, i: Instruction) -> None:
        values = [m.double(o) for o in i.operands[1:]]
        e = {"add": total, "mul": product, "fma": fused}[name]("f64", "", *values)
        m.set_double(i.operands[0], e)

    return step


# Halves.


def half_arithmetic(name: str) -> Callable[[Machine, Instruction], None]:
    def step(m: Machine, i: Instruction) -> None:
        if ".F32" in i.opcode:
            raise Unreadable(i.text)
        format, flags = "bf16" if "BF16" in i.opcode else "f16", flags_of(i)
        operands = m.half_operands(i, format)
        m.registers[i.operands[0]] = pack(
            *(half_result(name, format, flags, [o[place] for o in operands]) for place in (0, 1))
        )

    return step


def half_result(name: str, format: str, flags: str, values: list[Expression]) -> Expression:
    return {"add": total, "mul": product, "fma": fused}[name](format, flags, *values)


def extreme_halves(m: Machine, i: Instruction) -> None:
    format = "bf16" if "BF16" in i.opcode else "f16"
    a, b = (m.halves(o, "", format) for o in i.operands[1:3])
    name = "min" if m.truth(i.operands[3]) else "max"
    m.registers[i.operands[0]] = pack(*(extreme(name, format, a[n], b[n]) for n in (0, 1)))


def permute(m: Machine, i: Instruction) -> None:
    a, selection, b = (m.word(o) for o in i.operands[1:4])
    sources = half(a, 0), half(a, 1), half(b, 0), half(b, 1)
    pairs = {0x10: 0, 0x32: 1, 0x54: 2, 0x76: 3}
    places = [pairs.get(selection.args[0] >> shift & 0xFF) for shift in (0, 8)] if is_bits(selection) else [None]
    e = make("?", i.text) if None in places else pack(*(sources[place] for place in places if place is not None))
    m.registers[i.operands[0]] = e


def logic(m: Machine, i: Instruction) -> None:
    """Signs of halves and of doubles; of known integers all."""
    operands = [o for o in i.operands[1:] if not re.match(r"!?U?P[\dT]", o)]
    a, b, c, table = (m.word(o) for o in operands[:4])
    if not is_bits(a) and is_bits(b):
        number, lut = b.args[0], table.args[0]
        m.registers[i.operands[0]] = signs(a, number, lut) or make("?", i.text)
    elif all(map(is_bits, (a, b, c))):
        x, y, z, lut = (e.args[0] for e in (a, b, c, table))
        m.registers[i.operands[0]] = bits(sum(
            (lut >> ((x >> n & 1) << 2 | (y >> n & 1) << 1 | (z >> n & 1)) & 1) << n for n in range(32)
        ))  # fmt: skip
    else:
        m.registers[i.operands[0]] = make("?", i.text)


def signs(a: Expression, number: int, lut: int) -> Expression | None:
    """A word whose signs a literal changes."""
    change = {0x3C: negated, 0xC0: absolute}.get(lut)
    if change is None:
        return None
    if lut == 0xC0 and number in (0xFFFF, 0xFFFF0000):
        zero = bits(0, 16)
        return pack(half(a, 0), zero) if number == 0xFFFF else pack(zero, half(a, 1))
    if number in (0x80000000, 0x7FFFFFFF) and a.name not in ("pack", "half"):
        return change(a)
    places = {
        (0x3C, 0x80008000): (0, 1), (0x3C, 0x8000): (0,), (0x3C, 0x80000000): (1,),
        (0xC0, 0x7FFF7FFF): (0, 1), (0xC0, 0x7FFF): (0,),
    }.get((lut, number))  # fmt: skip
    if places is None:
        return None
    return pack(*(change(half(a, n)) if n in places else half(a, n) for n in (0, 1)))


# Integers, moves and predicates.


def move(m: Machine, i: Instruction) -> None:
    to, source = i.operands
    if ".64" in i.opcode:
        m.set_double(to, bits(int(source, 16), 64) if source.startswith("0x") else m.double(source))
    else:
        m.registers[to] = m.word(source)


def zero_pair(m: Machine, i: Instruction) -> None:
    m.registers[i.operands[0]] = m.registers[following(i.operands[0])] = bits(0)


def integer_sum(m: Machine, i: Instruction) -> None:
    operands = [o for o in i.operands[1:] if not re.match(r"!?U?P[\dT]", o)]
    values = [m.integer(o) for o in operands]
    known = all(map(is_bits, values))
    m.registers[i.operands[0]] = bits(sum(e.args[0] for e in values)) if known else make("?", i.text)


def multiply_integers(m: Machine, i: Instruction) -> None:
    a, b, c = (m.integer(o) for o in i.operands[1:4])
    if is_bits(a, 0) or is_bits(b, 0):
        e = c
    elif all(map(is_bits, (a, b, c))):
        e = bits(a.args[0] * b.args[0] + c.args[0])
    else:
        e = make("?", i.text)
    m.registers[i.operands[0]] = e


def compare(type: str) -> Callable[[Machine, Instruction], None]:
    def step(m: Machine, i: Instruction) -> None:
        words = i.opcode.split(".")
        name, kind = words[1], type
        if type == "s":
            kind = "u32" if "U32" in words else "s32"
        read = m.double if type == "f64" else m.integer if type == "s" else m.word
        found = holds(m.trial, name, kind, read(i.operands[2]), read(i.operands[3]))
        other = m.truth(i.operands[4])
        combine: Callable[[bool, bool], bool] = {
            "AND": lambda a, b: a and b, "OR": lambda a, b: a or b, "XOR": lambda a, b: a != b,
        }[next(w for w in words[2:] if w in ("AND", "OR", "XOR"))]  # fmt: skip
        m.predicates[i.operands[0]] = combine(found, other)
        m.predicates[i.operands[1]] = combine(not found, other)

    return step


def predicate_logic(m: Machine, i: Instruction) -> None:
    a, b, c = (m.truth(o) for o in i.operands[2:5])
    place = a << 2 | b << 1 | c
    for to, table in zip(i.operands[:2], i.operands[5:7], strict=True):
        m.predicates[to] = bool(int(table, 16) >> place & 1)


# Memory.


def offset_in(text: str) -> int:
    match = _OFFSET.search(text)
    return int(match[1], 16) if match else 0


def words_of(i: Instruction) -> int:
    return next((n for size, n in ((".64", 2), (".128", 4)) if size in i.opcode), 1)


def load(m: Machine, i: Instruction) -> None:
    offset, register = offset_in(i.operands[1]), i.operands[0]
    if ".U16" in i.opcode:
        m.registers[register] = pack(make("inh", offset), bits(0, 16))
        return
    for n in range(words_of(i)):
        place = offset + 4 * n
        m.registers[register] = bits(m.trial) if place == ROUNDS else make("in", place)
        register = following(register)


def load_constant(m: Machine, i: Instruction) -> None:
    bank, register = BANK.match(i.operands[1]), i.operands[0]
    for n in range(words_of(i)):
        place = int(bank[1], 16) - m.first_parameter + 4 * n if bank else -1
        m.registers[register] = make("parameter", place)
        register = following(register)


def store(m: Machine, i: Instruction) -> None:
    offset, register = offset_in(i.operands[0]), i.operands[1]
    if ".U16" in i.opcode:
        m.stored[offset] = half(m.word(register), 0)
        return
    for n in range(words_of(i)):
        put(m.stored, offset + 4 * n, m.word(register))
        register = following(register)


STEPS: dict[str, Callable[[Machine, Instruction], None]] = {
    "FMUL": multiply, "FADD": add, "FFMA": fuse, "FMNMX": extreme_f32, "FMNMX3": extreme_f32,
    "FSEL": select, "SEL": select,
    "FSETP": compare("f32"),
    "DADD": double_arithmetic("add"), "DMUL": double_arithmetic("mul"), "DFMA": double_arithmetic("fma"),
    "DSETP": compare("f64"),
    "HADD2": half_arithmetic("add"), "HMUL2": half_arithmetic("mul"), "HFMA2": half_arithmetic("fma"),
    "HMNMX2": extreme_halves, "PRMT": permute, "LOP3": logic,
    "MOV": move, "CS2R": zero_pair, "IADD3": integer_sum, "IADD": integer_sum, "VIADD": integer_sum,
    "IMAD": multiply_integers, "ISETP": compare("s"), "PLOP3": predicate_logic,
    "LDG": load, "LDC": load_constant, "LDCU": load_constant, "STG": store,
}  # fmt: skip
"""By opcode; those of the uniform datapath have the same names behind a U."""
