"""Random programs: a class is a type, its statements, and the parts of a program that contain them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import NamedTuple

INPUTS = 6
CONSTANTS = {
    "f32": ("0f40400000", "0fBF99999A", "0f40A00000"),
    "f64": ("0d4008000000000000", "0dBFF3333333333333"),
    "f16": ("0x4200", "0xBCCD"),
    "bf16": ("0x4040", "0xBF9A"),
    "f16x2": ("0x42004200", "0xBCCDBCCD"),
    "bf16x2": ("0x40404040", "0xBF9ABF9A"),
}
ROUNDS = 72
"""Where the number of rounds of loops is loaded from, whose class has such: in a trial it is the trial's number."""

WIDTHS = {"f32": 32, "f64": 64, "f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32}


@dataclass(frozen=True)
class Class:
    """How a program of one kind is made."""

    type: str = "f32"
    modifier: str = ""  # .ftz
    weights: dict[str, int] = field(default_factory=lambda: dict(STATEMENTS))
    parts: tuple[str, ...] = ()  # empty: one block
    reuse: float = 0.0  # how often a statement writes a register that exists
    guarded: float = 0.0  # how often it has a guard
    saturated: float = 0.1
    oldest: int = 75


STATEMENTS = {"product": 4, "sum": 5, "constant": 2, "fma": 1, "copy": 1, "negation": 1, "rounded": 1}
F32 = STATEMENTS | {"max": 2, "abs": 1}

CLASSES: dict[str, Class] = {
    "f64": Class("f64", saturated=0),
    "f16": Class("f16"),
    "f16 ftz": Class("f16", ".ftz"),
    "f16x2": Class("f16x2"),
    "bf16": Class("bf16", saturated=0, oldest=90),
    "bf16x2": Class("bf16x2", saturated=0, oldest=90),
    "sat": Class(weights=F32, saturated=0.5),
    "signs": Class(weights=F32 | {"negation": 5, "abs": 3, "fma": 3}),
    "parameters": Class(weights=F32 | {"parameter": 4}),
    "selp": Class(weights=F32 | {"selp": 3}),
    "predicated": Class(weights=F32, guarded=0.3, reuse=0.3),
    "reused": Class(weights=F32, reuse=0.5),
    "vectors": Class(weights=F32, parts=("vector",)),
    "branches": Class(weights=F32, parts=("branch",)),
    "f64 branches": Class("f64", parts=("branch",), saturated=0),
    "f16 branches": Class("f16", parts=("branch",)),
    "arms": Class(weights=F32, parts=("arms",), reuse=0.2),
    "loops": Class(weights=F32, parts=("loop",), reuse=0.3),
    "counted": Class(weights=F32, parts=("counted",), reuse=0.3),
    "f64 counted": Class("f64", parts=("counted",), reuse=0.3, saturated=0),
    "counted branches": Class(weights=F32, parts=("branch", "counted"), reuse=0.3),
    "returns": Class(weights=F32, parts=("return",)),
    "fences": Class(weights=F32, parts=("fence",)),
    "parts": Class(weights=F32, parts=("branch", "arms", "loop", "fence", "return"), reuse=0.2),
}


class Program(NamedTuple):
    """Statements, one a line; those of a branch and its label are removed together."""

    kind: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


class Writer:
    """Writes one program."""

    def __init__(self, rng: random.Random, made: Class, kind: str) -> None:
        self.rng, self.made, self.kind = rng, made, kind
        self.values = [f"i{n}" for n in range(INPUTS)]
        self.lines: list[str] = []
        self.count = self.labels = self.words = 0
        self.multiplied: set[frozenset[str]] = set()

    def program(self) -> Program:
        rng = self.rng
        if not self.made.parts:
            self.statements(rng.randrange(8, 24))
        for _ in range(4 if self.made.parts else 0):
            self.statements(rng.randrange(1, 5))
            getattr(self, rng.choice(self.made.parts))()
        if self.made.parts:
            self.statements(2)
        last = self.values[INPUTS:]
        for value in dict.fromkeys([*last[-1:], *rng.sample(last, min(len(last), rng.randrange(1, 5)))]):
            self.store(value)
        return Program(self.kind, tuple(self.lines))

    def some(self) -> str:
        return self.rng.choice(self.values[-7:] if self.rng.random() < 0.6 else self.values)

    def store(self, value: str) -> None:
        width = WIDTHS[self.made.type]
        self.lines.append(f"st.global.b{width} [o + {self.words * width // 8}], {value};")
        self.words += 1

    def statements(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def statement(self) -> None:
        rng, made = self.rng, self.made
        what = rng.choices(list(made.weights), list(made.weights.values()))[0]
        a, b, c = self.some(), self.some(), self.some()
        old = [v for v in self.values if v[0] == "v"]
        guard = rng.choice(("@p ", "@!p ", "@q ", "@!q ")) if old and rng.random() < made.guarded else ""
        again = bool(old) and (bool(guard) or rng.random() < made.reuse)
        to = rng.choice(old) if again else f"v{self.count}"
        if what == "product" and frozenset((a, b)) in self.multiplied:
            what = "sum"
        self.multiplied.add(frozenset((a, b)))
        self.lines.append(guard + self.text(what, to, a, b, c))
        if not again:
            self.count += 1
            self.values.append(to)

    def text(self, what: str, to: str, a: str, b: str, c: str) -> str:
        rng, made = self.rng, self.made
        m, type = made.modifier, made.type
        if what == "product":
            return f"mul{m}.{type} {to}, {a}, {b};"
        if what in ("sum", "fma", "max"):
            sat = ".sat" if rng.random() < made.saturated else ""
            if what == "fma":
                return f"fma.rn{m}{sat}.{type} {to}, {a}, {b}, {c};"
            if what == "max" and a != b:
                return f"max{m}.{type} {to}, {a}, {b};"
            return f"{rng.choice(('add', 'sub'))}{m}{sat}.{type} {to}, {a}, {b};"
        if what == "constant":
            factor = rng.choice(CONSTANTS[type])
            if type[0] != "f" or WIDTHS[type] < 32 or type.endswith("x2"):
                return f"{{ mov.b{WIDTHS[type]} k, {factor}; mul{m}.{type} {to}, {a}, k; }}"
            return f"mul{m}.{type} {to}, {a}, {factor};"
        if what == "parameter":
            return f"{rng.choice(('mul', 'add', 'mul'))}{m}.{type} {to}, {a}, {rng.choice(('f0', 'f1'))};"
        if what == "selp":
            return f"selp.b{WIDTHS[type]} {to}, {a}, {b}, {rng.choice('pq')};"
        if what == "rounded":
            return f"{rng.choice(('mul', 'add'))}.rn{m}.{type} {to}, {a}, {b};"
        if what == "abs":
            return f"abs.{type} {to}, {a};"
        return f"neg.{type} {to}, {a};" if what == "negation" else f"mov.b{WIDTHS[type]} {to}, {a};"

    # Parts.

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def guard(self) -> str:
        return self.rng.choice(("@p", "@!p", "@q") if "arms" in self.made.parts else ("@p", "@!p"))

    def branch(self) -> None:
        label, outside = self.label(), list(self.values)
        self.lines.append(f"{self.guard()} bra {label};")
        self.statements(self.rng.randrange(1, 4))
        self.store(self.values[-1])
        self.lines.append(f"{label}:")
        self.values = outside

    def arms(self) -> None:
        """Two, which write one register."""
        other, end, outside, to = self.label(), self.label(), list(self.values), f"v{self.count}"
        self.count += 1
        self.lines.append(f"{self.guard()} bra {other};")
        for after in (f"bra {end};", ""):
            self.statements(self.rng.randrange(0, 3))
            self.lines.append(self.text(self.rng.choice(("sum", "product")), to, self.some(), self.some(), self.some()))
            self.lines += [after, f"{other}:"] if after else [f"{end}:"]
            self.values = list(outside)
        self.values.append(to)

    def loop(self) -> None:
        """Of two to twelve rounds, which may be unrolled."""
        label, rounds, outside = self.label(), self.rng.randrange(2, 13), list(self.values)
        carried, self.count = f"v{self.count}", self.count + 1
        self.lines += [f"mov.b32 n, 0; mov.b{WIDTHS[self.made.type]} {carried}, {self.some()};", f"{label}:"]
        if self.rng.random() < 0.6:
            self.lines[-1] += ' .pragma "nounroll";'
        self.values.append(carried)
        self.statements(self.rng.randrange(1, 4))
        self.lines.append(self.text(self.rng.choice(("sum", "product")), carried, self.some(), carried, self.some()))
        self.lines.append(f"add.u32 n, n, 1; setp.lt.u32 s, n, {rounds}; @s bra {label};")
        self.values = [*outside, carried]

    def counted(self) -> None:
        """A loop whose number of rounds, at least one, is loaded; up, down or tested first."""
        rng, label, end, outside = self.rng, self.label(), self.label(), list(self.values)
        carried, self.count = f"v{self.count}", self.count + 1
        down, first = rng.random() < 0.2, rng.random() < 0.3
        signed = rng.choice("us")
        start, by = ("cn", -1) if down else ("0", rng.choice((1, 1, 1, 2)))
        self.lines += [f"mov.b32 n, {start}; mov.b{WIDTHS[self.made.type]} {carried}, {self.some()};"]
        test = "gt.s32 s, n, 0" if down else f"lt.{signed}32 s, n, cn"
        if first:
            self.lines.append(f"{label}: setp.{'eq.s32 s, n, 0' if down else f'ge.{signed}32 s, n, cn'}; @s bra {end};")
        else:
            self.lines.append(f"{label}:")
        self.values.append(carried)
        self.statements(rng.randrange(1, 4))
        if rng.random() < 0.3:
            skip, inside = self.label(), list(self.values)
            self.lines.append(f"{self.guard()} bra {skip};")
            self.statements(rng.randrange(1, 3))
            self.lines.append(f"{skip}:")
            self.values = inside
        self.lines.append(self.text(rng.choice(("sum", "product")), carried, self.some(), carried, self.some()))
        more = f"bra {label}; {end}:" if first else f"setp.{test}; @s bra {label};"
        self.lines.append(f"add.s32 n, n, {by}; {more}")
        self.values = [*outside, carried]

    def fence(self) -> None:
        self.lines.append(self.rng.choice(("membar.gl;", "pmevent 1;", "fence.acq_rel.gpu;", "bar.sync 0;")))

    def vector(self) -> None:
        """Loads and stores of several elements, and volatile ones."""
        if self.rng.random() < 0.5:
            a, b = self.some(), self.some()
            self.lines.append(f"st.global.v2.f32 [o + {4 * (self.words + self.words % 2)}], {{{a}, {b}}};")
            self.words += 2 + self.words % 2
        elif self.rng.random() < 0.5:
            self.lines.append(
                f"ld.global.v2.f32 {{v{self.count}, v{self.count + 1}}}, [i + {self.rng.choice((32, 40))}];"
            )
            self.values += [f"v{self.count}", f"v{self.count + 1}"]
            self.count += 2
        else:
            self.lines.append(f"ld.volatile.global.f32 v{self.count}, [i + {self.rng.choice((48, 52))}];")
            self.values.append(f"v{self.count}")
            self.count += 1

    def __getattr__(self, name: str) -> object:
        if name == "return":  # a keyword
            return lambda: self.lines.append(f"{self.guard()} ret;")
        raise AttributeError(name)


def write(rng: random.Random, kind: str) -> Program:
    return Writer(rng, CLASSES[kind], kind).program()


def module(programs: list[Program], target: str) -> str:
    """A kernel for each, of one class."""
    made = CLASSES[programs[0].kind]
    width = WIDTHS[made.type]
    register = made.type if made.type in ("f32", "f64") else f"b{width}"
    loads = "\n".join(f"ld.global.b{width} i{n}, [i + {width // 8 * n}];" for n in range(INPUTS))
    counted = "counted" in made.parts
    number = f" .reg .b32 cn; ld.global.b32 cn, [i + {ROUNDS}];" if counted else ""
    kernels = [
        f".visible .entry k{n}(.param .u64 pi, .param .u64 po, .param .f32 pf0, .param .f32 pf1) {{\n"
        f".reg .b64 i, o; .reg .pred p, q, s; .reg .b32 n, j0, j1; .reg .f32 f0, f1; .reg .{register} i<6>, k, v<96>;\n"
        "ld.param.u64 i, [pi]; ld.param.u64 o, [po]; ld.param.f32 f0, [pf0]; ld.param.f32 f1, [pf1];\n"
        f"{loads}\nld.global.b32 j0, [i + 64]; ld.global.b32 j1, [i + 68];\n"
        f"setp.lt.s32 p, j0, 1; setp.lt.s32 q, j1, 1;{number}\n{program.text}\nret; }}"
        for n, program in enumerate(programs)
    ]
    version = "8.0" if target.startswith(("sm_7", "sm_8", "sm_9")) else "8.7"
    return "\n".join([f".version {version}\n.target {target}\n.address_size 64", *kernels])
