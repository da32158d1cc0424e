"""A module of PTX that executes what ptxas made of another: instruction by instruction, without open roundings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from contraction.listing import Instruction, Listing, listings

import openptx
from lifting import atomics, conversions, floats, halves, integers, matrices, memory, parts
from lifting.operands import Step, Unreadable, Writer, is_predicate
from openptx.device.shared_layout import shared_layout
from openptx.program import Function, Variable

STEPS: dict[str, Step] = (
    atomics.STEPS
    | conversions.STEPS
    | floats.STEPS
    | halves.STEPS
    | integers.STEPS
    | matrices.STEPS
    | memory.STEPS
    | parts.STEPS
)
IGNORED = frozenset((
    "NOP", "BSSY", "BSYNC", "BREAK", "MEMBAR", "ERRBAR", "CCTL", "CGAERRBAR", "PMTRIG", "DEPBAR", "LDGDEPBAR", "YIELD",
    "FENCE", "CCTLL", "WARPSYNC", "LEPC", "BMOV", "ENDCOLLECTIVE",
))  # fmt: skip


@dataclass(frozen=True)
class Bank:
    """Where constant bank 0 has what a launch gives."""

    parameters: int
    sizes: dict[int, str]
    stack: int
    local: int
    """The generic address of local memory, two words."""

    descriptors: int
    """Of global memory, two words."""


XYZ = ("x", "y", "z")
OLD_SIZES = {4 * n: f"%{name}" for n, name in enumerate(f"{r}.{d}" for r in ("ntid", "nctaid") for d in XYZ)}
NEW_SIZES = {at + 4 * n: f"%{r}.{d}" for at, r in ((0x360, "ntid"), (0x370, "nctaid")) for n, d in enumerate(XYZ)}
BANKS = {  # by the first digit of the target
    "7": Bank(0x160, OLD_SIZES, stack=0x28, local=0x20, descriptors=0x118),
    "8": Bank(0x160, OLD_SIZES, stack=0x28, local=0x20, descriptors=0x118),
    "9": Bank(0x210, OLD_SIZES, stack=0x28, local=0x20, descriptors=0x208),
    "1": Bank(0x380, NEW_SIZES, stack=0x37C, local=0x2F8, descriptors=0x358),
}

STACK = 0x4000
"""Bytes of local memory. A thread's stack begins at its end."""

_NAMES = re.compile(r"%((?:U?R\d+(?:_angle)?)|(?:U?P\d))\b")
_HEADER = re.compile(r"(?m)^\s*(\.(?:version|target|address_size)\s.*)$")
_VARIABLE = re.compile(r"(?m)^\s*((?:\.(?:visible|weak|common|extern)\s+)?\.(?:global|const)\s[^;]*;)")
_SYMBOLS = re.compile(r"\.(?:dword|word)\s+(?:fun@\()?([\w$]+)")


@dataclass(frozen=True)
class Lifted:
    text: str
    static: dict[str, int]
    """Bytes of shared memory by kernel that a launch has to add to its dynamic ones."""


class Lifter:
    """One kernel."""

    def __init__(self, function: Function, code: Listing, target: str, text: str) -> None:
        self.function, self.code, self.text = function, code, text
        digit = target.removeprefix("sm_")[0]
        if digit not in BANKS:
            raise Unreadable(f"machine code for {target}")
        self.bank = BANKS[digit]
        self.w = Writer(self.constant, self.indexed)
        self.w.bases = {"shared": -memory.SHARED_START[digit], "local": 0}
        called = {k + 1 for k, i in enumerate(code.code) if i.opcode.startswith("CALL.REL")}
        self.returns = {k: f"after_{k}" for k in sorted(called)}

    def constant(self, w: Writer, bank: int, place: str) -> str:
        place = "0x0" if place == "RZ" else place.removeprefix("RZ+")
        if "R" in place:
            return self.indexed(w, bank, place)
        offset, layout = int(place, 16), self.bank
        if bank == 0 and offset >= layout.parameters:
            return self.parameter(w, offset - layout.parameters)
        if bank == 0 and offset in layout.sizes:
            return w.make("mov.u32", layout.sizes[offset])
        if bank == 0 and offset == layout.stack:
            return str(STACK)
        if bank == 0 and offset in (layout.local, layout.local + 4):
            base = w.make("cvta.local.u64", w.make("mov.u64", "openptx_local", type="b64"), type="b64")
            return w.make("cvt.u32.u64", w.make("shr.u64", base, str(8 * (offset - layout.local)), type="b64"))
        if bank == 0 and offset in (layout.descriptors, layout.descriptors + 4):
            return "0"
        if bank == 2:
            return str(int.from_bytes(self.code.literals[offset : offset + 4], "little"))
        if bank == 3:
            return w.make("ld.const.b32", f"[openptx_bank3+{offset}]")
        if bank == 4:
            names = re.search(r"\.nv\.constant4:\n(.*?)(?=\n\.?[\w$]|\n//-|\Z)", self.text, re.S)
            found = _SYMBOLS.findall(names[1]) if names else []
            address = w.make("mov.u64", found[offset // 8], type="b64")
            return w.make("cvt.u32.u64", w.make("shr.u64", address, str(offset % 8 * 8), type="b64"))
        raise Unreadable(f"c[{bank}][{place}]")

    def indexed(self, w: Writer, bank: int, place: str, type: str = "b32") -> str:
        """A word, or less, of a bank at a computed place."""
        registers, offset = w.address(f"[{place}]")
        if bank == 0 and not registers:
            return self.constant(w, bank, f"{offset:#x}")
        if bank not in (2, 3):
            raise Unreadable(f"c[{bank}][{place}]")
        at = w.make("mov.u32", "openptx_bank3" if bank == 3 else f"openptx_literals_{self.function.name}")
        for each in registers:
            at = w.make("add.u32", at, w.word(each))
        return w.make(f"ld.const.{type}", f"[{at}+{offset}]")

    def parameter(self, w: Writer, offset: int) -> str:
        variables = [v for v in self.function.parameters if isinstance(v, Variable)]
        total = "0"
        for v in variables:
            start, stop = max(v.offset, offset), min(v.offset + v.size, offset + 4)
            if stop - start == 4 and (offset - v.offset) % 4 == 0:
                return w.make("ld.param.b32", f"[{v.name}+{offset - v.offset}]")
            for at in range(start, stop):
                byte = w.make("ld.param.u8", f"[{v.name}+{at - v.offset}]")
                total = w.make("or.b32", total, w.make("shl.b32", byte, str(8 * (at - offset))))
        return total

    def run(self) -> str:
        w = self.w
        w.emit("activemask.b32 %warp")  # those that instructions between threads wait for
        labels: dict[int, list[str]] = {}
        for name, at in self.code.labels.items():
            labels.setdefault(at, []).append(self.label(name))
        for k, i in enumerate(self.code.code):
            w.lines += [f"{name}:" for name in labels.get(k, ())]
            if k in self.returns:
                w.lines.append(f"{self.returns[k]}:")
            self.step(k, i)
        w.lines += [f"{name}:" for name in labels.get(len(self.code.code), ())]
        w.emit("exit")
        return "\n".join(w.lines)

    @staticmethod
    def label(name: str) -> str:
        return "L" + re.sub(r"\W", "_", name)

    def step(self, k: int, i: Instruction) -> None:
        name, *mods = i.opcode.split(".")
        if name in IGNORED:
            return
        w = self.w
        operands = [each.split(" (*")[0].strip() for each in i.operands]  # without nvdisasm's remarks
        if name == "RET":
            operands = [operands[0].split(" `")[0]]
        w.lines.append(f"// {i.text}")
        w.immediate = i.immediate
        guard = ""
        if i.guard is not None:
            value = w.predicate(("!" if i.guard[0] else "") + i.guard[1])
            guard = f"@{value} "
        if name in CONTROL:
            CONTROL[name](self, guard, mods, operands)
            return
        step = STEPS.get(name) or STEPS.get(name.removeprefix("U")) or STEPS.get(name.removesuffix("U"))
        if step is None:
            raise Unreadable(i.text)
        if guard:
            w.emit(f"@!{guard[1:]}bra skip_{k}")
        step(w, i, mods, operands)
        if guard:
            w.lines.append(f"skip_{k}:")

    # Control flow.

    def branch(self, guard: str, mods: list[str], operands: list[str]) -> None:
        w = self.w
        if "DIV" in mods or "CONV" in mods:  # for threads of a warp that have parted
            return
        *conditions, target = operands
        conditions = [c for c in conditions if is_predicate(c)]
        if conditions:
            value = w.predicate(conditions[0])
            if guard:
                value = w.make("and.pred", value, guard[1:].strip(), type="pred")
            guard = f"@{value} "
        w.emit(f"{guard}bra {self.label(target.strip('`()'))}")

    def leave(self, guard: str, mods: list[str], operands: list[str]) -> None:
        self.w.emit(f"{guard}exit")

    def call(self, guard: str, mods: list[str], operands: list[str]) -> None:
        if mods[0] != "REL":
            self.w.emit(f"{guard}trap")
            return
        self.w.emit(f"{guard}bra {self.label(operands[0].strip('`()'))}")

    def come_back(self, guard: str, mods: list[str], operands: list[str]) -> None:
        w = self.w
        for at, label in self.returns.items():
            is_this = w.make("setp.eq.u32", f"%{operands[0]}", str(16 * at), type="pred")
            if guard:
                is_this = w.make("and.pred", is_this, guard[1:].strip(), type="pred")
            w.emit(f"@{is_this} bra {label}")
        w.emit(f"{guard}trap")

    def wait(self, guard: str, mods: list[str], operands: list[str]) -> None:
        if mods[0] not in ("SYNC", "ARV"):
            raise Unreadable(f"BAR {mods}")
        values = [self.w.integer(each) for each in operands if each]
        opcode = "bar.sync" if mods[0] == "SYNC" else "bar.arrive"
        self.w.emit(f"{guard}{opcode} {', '.join(values) or '0'}")

    def trap(self, guard: str, mods: list[str], operands: list[str]) -> None:
        self.w.emit(f"{guard}trap")


CONTROL: dict[str, Callable[[Lifter, str, list[str], list[str]], None]] = {
    "BRA": Lifter.branch, "EXIT": Lifter.leave, "CALL": Lifter.call, "RET": Lifter.come_back, "BAR": Lifter.wait,
    "BPT": Lifter.trap,
}  # fmt: skip


def registers(body: str) -> str:
    """The declarations of all registers."""
    names = sorted({*_NAMES.findall(body)})
    lines = [".reg .b32 %warp;"] + [f".reg .{'pred' if n.lstrip('U')[0] == 'P' else 'b32'} %{n};" for n in names]
    for type in ("b8", "b16", "b32", "b64", "pred"):
        last = max((int(n) for n in re.findall(rf"%{type}_(\d+)", body)), default=0)
        lines.append(f".reg .{type} %{type}_<{last + 1}>;")
    return "\n".join(lines)


def lifted(text: str, disassembly: str) -> Lifted:
    """`disassembly`: what `nvdisasm` prints of the assembled text."""
    program = openptx.load(text, contract="off").program
    target = re.search(r"\.target\s+(\w+)", text)
    assert target is not None
    found, static = list[str](), dict[str, int]()
    codes = listings(disassembly)
    constants = re.search(r"(?s)\n\.nv\.constant3:\n(.*?)(?:\n//---|\Z)", disassembly)
    if constants is not None:
        content = ", ".join(b for row in re.findall(r"\.byte\s+(.*)", constants[1]) for b in row.split(", "))
        found.append(f".const .align 16 .b8 openptx_bank3[] = {{{content}}};")
    found.append(".extern .shared .align 1024 .b8 openptx_shared[];")
    for name in program.kernels:
        function, literals = program.function(name), codes[name].literals
        if literals:
            content = ", ".join(map(str, literals))
            found.append(f".const .align 16 .b8 openptx_literals_{name}[] = {{{content}}};")
        body = Lifter(function, codes[name], target[1], disassembly).run()
        header = re.search(rf"(?s)(?:\.visible\s+|\.weak\s+)?\.entry\s+{re.escape(name)}\s*(\(.*?\))?[^{{]*", text)
        assert header is not None
        static[name] = shared_layout(program, name).dynamic
        found.append(f"{header[0]}\n{{\n{registers(body)}\n.local .align 16 .b8 openptx_local[{STACK}];\n{body}\n}}")
    bodies = "\n".join(found)
    used = [
        each for each in _VARIABLE.findall(text) if re.search(rf"mov\.u64 \S+, {re.escape(name_in(each))};", bodies)
    ]
    return Lifted("\n".join((*_HEADER.findall(text), *used, bodies)), static)


def name_in(declaration: str) -> str:
    """The name of a variable."""
    return re.split(r"[\[=;]", declaration)[0].split()[-1]
