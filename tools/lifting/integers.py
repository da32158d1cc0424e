"""Integers, bits, moves and predicates."""

from __future__ import annotations

from contraction.listing import Instruction

from lifting.operands import Step, Unreadable, Writer, following, is_predicate


def split(operands: list[str]) -> tuple[list[str], list[str], list[str]]:
    """The predicates after the first operand, the operands and the predicates after them."""
    rest = operands[1:]
    n = next((k for k, o in enumerate(rest) if not is_predicate(o)), len(rest))
    m = next((k for k in range(len(rest), n, -1) if not is_predicate(rest[k - 1])), n)
    return rest[:n], rest[n:m], rest[m:]


def addend(w: Writer, text: str) -> tuple[str, int]:
    """A word as 64 bits without sign, and what has to be added to it: `-a` is `~a + 1`, whose carry counts."""
    more = 0
    if text.startswith("-") and not text.startswith("-0x"):
        text, more = f"~{text[1:]}", 1
    return w.make("cvt.u64.u32", w.integer(text), type="b64"), more


def carried(w: Writer, values: list[str], carries: list[str]) -> str:
    """The sum of words and carries in 64 bits."""
    total, constant = "0", 0
    for text in values:
        value, more = addend(w, text)
        constant += more
        total = value if total == "0" else w.make("add.u64", total, value, type="b64")
    for p in carries:
        if p != "!PT":
            total = w.make("add.u64", total, w.make("cvt.u64.u32", w.bit(p), type="b64"), type="b64")
    return w.make("add.u64", total, str(constant), type="b64") if constant else total


def put_carries(w: Writer, predicates: list[str], total: str) -> None:
    for n, p in enumerate(predicates, 1):
        w.set_predicate(p, w.make("setp.ge.u64", total, str(n << 32), type="pred"))


def only(i: Instruction, mods: list[str], *known: str) -> None:
    """Refuses an instruction that has other modifiers."""
    if not set(mods).issubset(known):
        raise Unreadable(i.text)


def add_three(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    only(i, mods, "X")
    outs, values, ins = split(operands)
    total = carried(w, values, ins if "X" in mods else [])
    w.set(operands[0], w.make("cvt.u32.u64", total))
    put_carries(w, outs, total)


def add_two(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`IADD` of Blackwell. Of 64 bits it has no carries."""
    if "64" not in mods:
        add_three(w, i, mods, operands)
        return
    only(i, mods, "64")
    d, a, b = operands
    w.set_wide(d, w.make("add.u64", w.wide(a), w.wide(b), type="b64"))


def multiply(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    only(i, mods, "MOV", "SHL", "IADD", "U32", "WIDE", "HI", "X")
    outs, (a, b, c), ins = split(operands)
    d = operands[0]
    unsigned = "U32" in mods
    if "WIDE" in mods or "HI" in mods:
        product = w.make(f"mul.wide.{'u32' if unsigned else 's32'}", w.integer(a), w.integer(b), type="b64")
        total = w.make("add.u64", product, w.wide(c), type="b64")
        if any(not o.endswith("PT") for o in outs):
            if not unsigned or "X" in mods:
                raise Unreadable(i.text)
            w.set_predicate(outs[0], w.make("setp.lt.u64", total, product, type="pred"))
        if "X" in mods:
            bit = w.make("cvt.u64.u32", w.bit(ins[0]), type="b64")
            total = w.make("add.u64", total, bit, type="b64")
        if "WIDE" in mods:
            w.set_wide(d, total)
        else:
            w.set(d, w.make("cvt.u32.u64", w.make("shr.u64", total, "32", type="b64")))
    else:
        value = w.make("mad.lo.u32", w.integer(a), w.integer(b), w.integer(c))
        if "X" in mods:
            value = w.make("add.u32", value, w.bit(ins[0]))
        if any(not o.endswith("PT") for o in outs):
            raise Unreadable(i.text)
        w.set(d, value)


def load_address(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`LEA`: a shifted operand, or its upper part, plus another."""
    only(i, mods, "HI", "SX32", "X")
    outs, values, ins = split(operands)
    d, shift = operands[0], int(values[-1], 16)
    if "HI" in mods:
        if "SX32" in mods:
            a, b = values[:2]
            pair = w.make("cvt.s64.s32", w.integer(a), type="b64")
        else:
            a, b, c = values[:3]
            pair = w.make("mov.b64", f"{{{w.integer(a)}, {w.integer(c)}}}", type="b64")
        shifted = w.make("cvt.u32.u64", w.make("shr.u64", pair, str(32 - shift), type="b64"))
    else:
        a, b = values[:2]
        shifted = w.make("shl.b32", w.integer(a), str(shift))
    total = w.make("cvt.u64.u32", shifted, type="b64")
    second, more = addend(w, b)
    total = w.make("add.u64", total, second, type="b64")
    if more:
        total = w.make("add.u64", total, str(more), type="b64")
    if "X" in mods and ins:
        total = w.make("add.u64", total, w.make("cvt.u64.u32", w.bit(ins[0]), type="b64"), type="b64")
    w.set(d, w.make("cvt.u32.u64", total))
    put_carries(w, outs, total)


def shift(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    only(i, mods, "L", "R", "HI", "W", "U32", "S32", "U64", "S64")
    d, a, n, c = operands
    type = next(m for m in mods if m[-2:] in ("32", "64"))
    pair = w.make("mov.b64", f"{{{w.integer(a)}, {w.integer(c)}}}", type="b64")
    size = int(type[1:])
    count = (
        w.make("and.b32", w.integer(n), str(size - 1)) if "W" in mods else w.make("min.u32", w.integer(n), str(size))
    )
    opcode = "shl.b64" if "L" in mods else f"shr.{type[0].lower()}64"
    result = w.make(opcode, pair, count, type="b64")
    if "HI" in mods:
        result = w.make("shr.u64", result, "32", type="b64")
    w.set(d, w.make("cvt.u32.u64", result))


def logic(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    p = operands.pop(0) if is_predicate(operands[0]) else ""
    d, a, b, c, table, *more = operands
    combine = {"LUT": "or", "LUT.PAND": "and"}.get(".".join(mods))
    result = w.make("lop3.b32", w.integer(a), w.integer(b), w.integer(c), table)
    w.set(d, result)
    if p:
        if combine is None:
            raise Unreadable(i.text)
        w.set_predicate(p, w.make(f"setp.ne.{combine}.u32", result, "0", w.predicate(more[0]), type="pred"))


def predicate_logic(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    only(i, mods, "LUT")
    p, q, a, b, c, *tables = operands
    bits = [w.bit(each) for each in (a, b, c)]
    results = [w.make("and.b32", w.make("lop3.b32", *bits, table), "1") for table in tables]
    for to, result in zip((p, q), results, strict=True):
        w.set_predicate(to, w.make("setp.ne.u32", result, "0", type="pred"))


def compare(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    p, q, a, b, c, *low = operands
    type = next((m.lower() for m in mods if m in ("U32", "U64", "S64")), "s32")
    test, combine = mods[0].lower(), next(m.lower() for m in mods if m in ("AND", "OR", "XOR"))
    read = w.wide if type.endswith("64") else w.integer
    x, y = read(a), read(b)
    if "EX" in mods:
        equal = w.make(f"setp.eq.and.{type}", x, y, w.predicate(low[0]), type="pred")
        if test in ("eq", "ne"):
            found = equal
            if test == "ne":
                found = w.make("setp.ne.or.u32", x, y, w.predicate(low[0]), type="pred")
        else:
            found = w.make(f"setp.{test[0]}t.or.{type}", x, y, equal, type="pred")
        other = w.predicate(c)
        w_p = w.make(f"{combine}.pred", found, other, type="pred")
        w_q = w.make(f"{combine}.pred", w.make("not.pred", found, type="pred"), other, type="pred")
    else:
        w_p, w_q = w.new("pred"), w.new("pred")
        w.emit(f"setp.{test}.{combine}.{type} {w_p}|{w_q}, {x}, {y}, {w.predicate(c)}")
    w.set_predicate(p, w_p)
    w.set_predicate(q, w_q)


def move(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    only(i, mods, "64", "U32", "OR")
    d, a = operands[:2]
    if "64" in mods:
        w.set_wide(d, w.wide(a))
    else:
        w.set(d, w.integer(a))


def zeros(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    if operands[1] != "SRZ":
        raise Unreadable(i.text)
    w.set(operands[0], "0")
    if "32" not in mods:
        w.set(following(operands[0]), "0")


def select(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    only(i, mods, "64")
    d, a, b, p = operands
    if mods:
        w.set_wide(d, w.make("selp.b64", w.wide(a), w.wide(b), w.predicate(p), type="b64"))
        return
    w.set(d, w.make("selp.b32", w.integer(a), w.integer(b), w.predicate(p)))


def permute(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    mode = "".join(f".{m.lower()}" for m in mods)
    if mode not in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        raise Unreadable(i.text)
    d, a, s, b = operands
    w.set(d, w.make(f"prmt.b32{mode}", w.integer(a), w.integer(b), w.integer(s)))


def extend(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, a, n = operands
    only(i, mods, "U32", "W")
    way = "wrap" if "W" in mods else "clamp"
    w.set(d, w.make(f"szext.{way}.{'u32' if 'U32' in mods else 's32'}", w.integer(a), w.integer(n)))


def unary(opcode: str) -> Step:
    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        if mods:
            raise Unreadable(i.text)
        w.set(operands[0], w.make(opcode, w.integer(operands[1])))

    return step


def mask(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`n` ones from bit `start`: `BMSK d, start, n`."""
    d, start, n = (operands[0], *map(w.integer, operands[1:]))
    if mods not in ([], ["W"]):
        raise Unreadable(i.text)
    w.set(d, w.make(f"bmsk.{'wrap' if mods else 'clamp'}.b32", start, n))


def leading(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    type = "u32" if "U32" in mods else "s32"
    only(i, mods, "U32", "SH")
    amount = ".shiftamt" if "SH" in mods else ""
    w.set(operands[0], w.make(f"bfind{amount}.{type}", w.integer(operands[1])))


def to_predicates(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    only(i, mods, "PR", "B0")
    _, a, mask = operands
    value = w.integer(a)
    for n in range(7):
        if int(mask, 16) >> n & 1:
            bit = w.make("and.b32", value, str(1 << n))
            w.set_predicate(f"P{n}", w.make("setp.ne.u32", bit, "0", type="pred"))


def from_predicates(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, _, a, mask = operands
    value = w.make("and.b32", w.integer(a), str(~int(mask, 16) & 0xFFFFFFFF))
    for n in range(7):
        if int(mask, 16) >> n & 1:
            value = w.make("or.b32", value, w.make("shl.b32", w.bit(f"P{n}"), str(n)))
    if mods:
        raise Unreadable(i.text)
    w.set(d, value)


STEPS: dict[str, Step] = {
    "IADD3": add_three, "IADD": add_two, "IMAD": multiply, "LEA": load_address, "SHF": shift,
    "LOP3": logic, "PLOP3": predicate_logic, "ISETP": compare, "MOV": move, "CS2R": zeros, "SEL": select,
    "PRMT": permute, "SGXT": extend,
    "IABS": unary("abs.s32"), "POPC": unary("popc.b32"),
    "BREV": unary("brev.b32"), "FLO": leading, "R2P": to_predicates, "P2R": from_predicates,
    "R2UR": move, "BMSK": mask,
}  # fmt: skip
