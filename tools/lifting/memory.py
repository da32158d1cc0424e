"""Loads, stores, shuffles and other instructions between threads."""

from __future__ import annotations

from contraction.listing import Instruction

from lifting.operands import Step, Unreadable, Writer, following

SHARED_START = {"7": 0, "8": 0, "9": 0x400, "1": 0x400}
"""Where a kernel's own shared memory begins, by the first digit of the target."""

SIZES = {"U8": ("u8", 1), "S8": ("s8", 1), "U16": ("u16", 1), "S16": ("s16", 1), "64": ("b32", 2), "128": ("b32", 4)}
IGNORED = (
    "E",
    "U",
    "EL",
    "EF",
    "EN",
    "LU",
    "CONSTANT",
    "LTC128B",
    "LTC64B",
    "LTC256B",
    "NA",
    "STRONG",
    "WEAK",
    "GPU",
    "SYS",
    "SM",
    "CTA",
)


def shape(i: Instruction, mods: list[str]) -> tuple[str, int]:
    """The type and the number of elements of an access."""
    found = [SIZES[m] for m in mods if m in SIZES]
    if any(m not in SIZES and m not in IGNORED for m in mods):
        raise Unreadable(i.text)
    return found[0] if found else ("b32", 1)


def place(w: Writer, space: str, text: str, mods: list[str]) -> str:
    """The address as `[register]`."""
    registers, offset = w.address(text)
    if space in ("shared", "local"):
        total = w.make("mov.u32", f"openptx_{space}")
        for each in registers:
            name, _, scale = each.partition(".")
            value = w.word(name)
            if scale.startswith("X"):
                value = w.make("mul.lo.u32", value, scale[1:])
            total = w.make("add.u32", total, value)
        return f"[{w.make('add.u32', total, str(offset + w.bases[space]))}]"
    total = "0"
    for each in registers:
        name, _, kind = each.partition(".")
        is_wide = kind == "64" or ("E" in mods and not kind)
        value = w.wide(name) if is_wide else w.make("cvt.u64.u32", w.word(name), type="b64")
        total = value if total == "0" else w.make("add.u64", total, value, type="b64")
    return f"[{w.make('add.s64', total, str(offset), type='b64')}]"


def opcode(name: str, space: str, type: str, count: int) -> str:
    return f"{name}{f'.{space}' if space else ''}.{type if count == 1 else f'v{count}.b32'}"


def listed(registers: list[str]) -> str:
    return registers[0] if len(registers) == 1 else f"{{{', '.join(registers)}}}"


def load(space: str) -> Step:
    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        d, address = operands
        type, count = shape(i, mods)
        at = place(w, space, address, mods)
        registers = [w.new("b32") for _ in range(count)]
        w.emit(f"{opcode('ld', space, type, count)} {listed(registers)}, {at}")
        for n, each in enumerate(registers):
            w.set(following(d, n), each)

    return step


def store(space: str) -> Step:
    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        address, source = operands
        type, count = shape(i, mods)
        at = place(w, space, address, mods)
        values = [w.make("mov.b32", w.word(following(source, n))) for n in range(count)]
        w.emit(f"{opcode('st', space, type, count)} {at}, {listed(values)}")

    return step


def load_constant(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, source = operands
    if mods == ["128"]:
        for n in (0, 2):
            bank, place = w.bank(source)
            w.set_wide(following(d, n), w.wide(f"c[{bank:#x}][{int(place, 16) + 4 * n:#x}]"))
    elif "64" in mods:
        w.set_wide(d, w.wide(source))
    elif any(m in ("U8", "S8", "U16", "S16") for m in mods):
        bank, place = w.bank(source)
        if bank == 0:
            w.set(d, w.make(f"bfe.{mods[0][0].lower()}32", w.word(source), "0", mods[0][1:]))
        else:
            w.set(d, w.indexed(w, bank, place, mods[0].lower()))
    elif mods:
        raise Unreadable(i.text)
    else:
        w.set(d, w.word(source))


MATRICES = {  # the shape and what follows it, the type, and registers of one matrix
    ("16", "M88"): ("m8n8", "", "b16", 1), ("16", "MT88"): ("m8n8", ".trans", "b16", 1),
    ("8", "MT1616"): ("m16n16", ".trans", "b8", 2), ("8", "MT168"): ("m16n8", ".trans", "b8", 1),
    ("U6x16P32TO8", "M816"): ("m8n16", "", "b8x16.b6x16_p32", 1),
    ("U4x16P64TO8", "M816"): ("m8n16", "", "b8x16.b4x16_p64", 1),
    ("U6x16P32TO8", "MT1616"): ("m16n16", ".trans", "b8x16.b6x16_p32", 2),
    ("U4x16P64TO8", "MT1616"): ("m16n16", ".trans", "b8x16.b4x16_p64", 2),
}  # fmt: skip


def matrices(opcode: str) -> Step:
    """`ldmatrix` and `stmatrix`."""

    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        found = MATRICES.get((mods[0], mods[1]))
        if found is None or mods[2:] not in ([], ["2"], ["4"]):
            raise Unreadable(i.text)
        shape, order, type, each = found
        count = int(mods[2]) if len(mods) > 2 else 1
        d, address = operands if opcode == "ldmatrix" else reversed(operands)
        registers = f"{{{', '.join(f'%{following(d, n)}' for n in range(count * each))}}}"
        at = place(w, "shared", address, mods)
        values = (registers, at) if opcode == "ldmatrix" else (at, registers)
        w.emit(f"{opcode}.sync.aligned.{shape}.x{count}{order}.shared.{type} {', '.join(values)}")

    return step


def shuffle(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    p, d, a, b, c = operands
    result, inside = w.new("b32"), w.new("pred")
    value = w.make("mov.b32", w.word(a))
    w.emit(f"shfl.sync.{mods[0].lower()}.b32 {result}|{inside}, {value}, {w.integer(b)}, {w.integer(c)}, %warp")
    w.set(d, result)
    w.set_predicate(p, inside)


def reduce(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`REDUX`, and `CREDUX` for extremes of Blackwell."""
    name = next((m.lower() for m in mods if m not in ("S32", "F32", "NAN")), "and")
    if name not in ("and", "or", "xor", "sum", "min", "max", "minabs", "maxabs"):
        raise Unreadable(i.text)
    type = "b32" if name in ("and", "or", "xor") else "s32" if "S32" in mods else "u32"
    if "F32" in mods:
        type = f"{'abs.' if name.endswith('abs') else ''}{'NaN.' if 'NAN' in mods else ''}f32"
    opcode = f"redux.sync.{'add' if name == 'sum' else name[:3] if name != 'or' else name}.{type}"
    w.set(operands[0], w.make(opcode, w.make("mov.b32", w.word(operands[1])), "%warp"))


def match(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    *p, d, a = operands
    if mods[:1] not in (["ANY"], ["ALL"]) or mods[1:] not in ([], ["U64"]):
        raise Unreadable(i.text)
    size = 64 if mods[1:] else 32
    value = w.make(f"mov.b{size}", w.wide(a) if size == 64 else w.word(a), type=f"b{size}")
    result, same = w.new("b32"), w.new("pred")
    w.emit(f"match.{mods[0].lower()}.sync.b{size} {result}{f'|{same}' if p else ''}, {value}, %warp")
    w.set(d, result)
    for each in p:
        w.set_predicate(each, same)


def vote(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    *out, p = operands
    value = w.predicate(p)
    for each in out:
        if each.lstrip("U").startswith("P"):
            kind = {"EQ": "uni"}.get(mods[0], mods[0].lower())
            w.set_predicate(each, w.make(f"vote.sync.{kind}.pred", value, "%warp", type="pred"))
        else:
            w.set(each, w.make("vote.sync.ballot.b32", value, "%warp"))


REGISTERS = {
    "SR_TID.X": "%tid.x", "SR_TID.Y": "%tid.y", "SR_TID.Z": "%tid.z", "SR_CTAID.X": "%ctaid.x",
    "SR_CTAID.Y": "%ctaid.y", "SR_CTAID.Z": "%ctaid.z", "SR_LANEID": "%laneid", "SR_EQMASK": "%lanemask_eq",
    "SR_LTMASK": "%lanemask_lt", "SR_LEMASK": "%lanemask_le", "SR_GTMASK": "%lanemask_gt", "SR_GEMASK": "%lanemask_ge",
}  # fmt: skip


def special(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, source = operands
    if source in ("SRZ", "SR_CgaCtaId"):
        w.set(d, "0")
    elif source in REGISTERS:
        w.set(d, w.make("mov.u32", REGISTERS[source]))
    else:
        raise Unreadable(i.text)


STEPS: dict[str, Step] = {
    "LDG": load("global"), "LDS": load("shared"), "LDL": load("local"), "LD": load(""),
    "STG": store("global"), "STS": store("shared"), "STL": store("local"), "ST": store(""), "LDC": load_constant,
    "LDCU": load_constant, "LDSM": matrices("ldmatrix"), "STSM": matrices("stmatrix"), "SHFL": shuffle,
    "REDUX": reduce, "CREDUX": reduce, "VOTE": vote, "MATCH": match,
    "S2R": special, "S2UR": special,
}  # fmt: skip
