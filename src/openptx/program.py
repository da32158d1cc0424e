"""The program that engines execute: names, forms, modifiers and operand types are resolved; no text is examined after
this point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from openptx.float_environment import in_standard_floats
from openptx.garbage import uncollected
from openptx.isa.notation import Form, Modifiers
from openptx.isa.notation.slots import Template
from openptx.isa.special_registers import allocation_unit
from openptx.isa.types import TYPES, Type
from openptx.source import File, Span


@dataclass(frozen=True, slots=True)
class Register:
    """A scalar register of one function: a vector register `.v4 .f32 v` is four of them, `v.x` to `v.w`."""

    name: str
    type: Type
    index: int  # position in Function.registers


@dataclass(frozen=True, slots=True)
class Relocation:
    """An address inside an initialiser: `value = (address(symbol) + addend)`, `size` bytes at `offset`."""

    offset: int
    size: int
    symbol: str  # a module-level variable or a function
    addend: int = 0
    generic: bool = False  # written `generic(symbol)`
    shift: int = 0  # `0xFF00(symbol)` takes the byte at this shift


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable in memory. `offset` is its place in the thread's frame or the parameter buffer, if it lies there."""

    name: str
    space: str  # global const shared local param frame
    type: Type
    size: int  # bytes, all elements; 0 for `extern .shared x[]`
    align: int  # bytes
    offset: int = 0
    vector: int = 1
    shape: tuple[int, ...] = ()
    data: bytes | None = None
    relocations: tuple[Relocation, ...] = ()
    linkage: str = ""  # visible extern weak common
    span: Span = (0, 0)
    managed: bool = False  # the host reaches it at its device address (5.4.8)


# Operands. All are frozen and hashable, so that engines can use them as keys.


@dataclass(frozen=True, slots=True)
class Reg:
    """A register as source, destination or predicate; `negated` is the `!` of a source predicate."""

    index: int
    width: int  # declared width in bits; 1 for .pred
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Imm:
    """An immediate: `value` is its bits in the operand's type (already rounded, wrapped and masked to `width`)."""

    value: int
    width: int


@dataclass(frozen=True, slots=True)
class Special:
    """A special register, with its component: `tid.x`, `laneid`, `clock64` (no `%`)."""

    name: str
    width: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a variable in its own space, plus `offset`; `generic` if the text says `generic(x)`."""

    variable: Variable
    offset: int = 0
    generic: bool = False


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function as a value (`mov.u64 %rd, f`) or as the target of a call."""

    name: str


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`; base None is `[immediate]`. `parts` are the further operands of `[a, {x, y}]`."""

    base: Reg | Symbol | None
    offset: int = 0
    parts: tuple[Operand, ...] = ()


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b, c, d}` or a whole vector register."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Sink:
    """`_`: a discarded result."""


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a branch: a position in Function.code (which may be one past its end)."""

    pc: int


@dataclass(frozen=True, slots=True)
class Targets:
    """The labels of a `.branchtargets`, or the possible callees of a `.calltargets`."""

    pcs: tuple[int, ...] = ()
    functions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prototype:
    """The signature of an indirect call (`.callprototype`): sizes and types, without names."""

    returns: tuple[Register | Variable, ...]
    parameters: tuple[Register | Variable, ...]
    noreturn: bool = False


@dataclass(frozen=True, slots=True)
class Arguments:
    """The parenthesised lists of a call: registers, immediates, or `.param` variables of this function (as Symbol)."""

    values: tuple[Operand, ...]


Operand = (
    Reg | Imm | Special | Symbol | FunctionName | Address | Vector | Sink | Target | Targets | Prototype | Arguments
)


def temporary(registers: list[Register], width: int) -> Reg:
    """A new register of a function, which does not occur in the text."""
    registers.append(Register(f"{len(registers)}", TYPES[f"b{width}"], len(registers)))
    return Reg(registers[-1].index, width)


def is_temporary(register: Register) -> bool:
    """Whether a register does not occur in the text. Its name is a number: names in PTX do not begin with a digit."""
    return register.name.isdigit()


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One instruction of a function.

    `operands` and `types` are aligned with `form.operands`; an optional operand that is absent is None in both.
    `types[i]` is the type that the instruction gives the operand (of one element for vectors), None for labels and
    functions. `m.space` is already the space that holds the variable: `frame` for call parameters.
    """

    form: Form
    m: Modifiers
    guard: Reg | None
    operands: tuple[Operand | None, ...]
    types: tuple[Type | None, ...]
    span: Span
    text: str  # as written, without guard and surrounding blanks: for faults and listings
    line: tuple[str, int, int] | None = None  # `.loc`: file, line, column
    rule: str = ""  # the optimisation that made it (rewrite/): contracted, folded; empty for instructions of the text
    reads: tuple[int, ...] | None = field(default=None, init=False, repr=False)
    writes: tuple[int, ...] | None = field(default=None, init=False, repr=False)
    """The registers that it reads and writes, kept by `control_flow.read_registers` and `written_registers`."""

    def operands_by_template(self) -> Iterator[tuple[Template, Operand | None]]:
        """Each operand with its place in the form, which has its name and its role."""
        return zip(self.form.operands, self.operands, strict=True)

    @property
    def one_line(self) -> str:
        """The text with single blanks."""
        return " ".join(self.text.split())


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A kernel or device function.

    Entry parameters are Variables of space `param`, at their offsets in the parameter buffer (`parameter_size` bytes).
    Parameters and returns of a `.func` are Registers, or Variables of space `frame`. A thread's frame (`frame_size`
    bytes of local memory per activation) holds in disjoint places the `.local` variables and all `.param` variables
    of the body, and the function's own `frame` parameters and returns. `shared` are the function's own shared
    variables; where they lie depends on the kernel (`shared_layout`).
    """

    name: str
    kind: str  # entry func
    linkage: str
    parameters: tuple[Register | Variable, ...]
    returns: tuple[Register | Variable, ...]
    registers: tuple[Register, ...]
    code: tuple[Op, ...]
    frame_size: int
    parameter_size: int
    local: tuple[Variable, ...]
    shared: tuple[Variable, ...]
    labels: Mapping[str, int]
    directives: Mapping[str, tuple[int, ...]]  # "maxntid": (256, 1, 1) ...
    callees: frozenset[str]  # direct ones, and every function whose address is taken
    span: Span
    noreturn: bool = False
    rolled: frozenset[int] = frozenset()
    """Positions of `.pragma "nounroll"`: the loops that begin there are not unrolled."""


@dataclass(frozen=True, slots=True)
class SharedLayout:
    """The layout of a kernel's shared variables in its CTA's memory (device/shared_layout.py)."""

    offsets: Mapping[tuple[str, Span], int]
    static: int
    """Bytes of static variables, including those of the system before them."""
    dynamic: int
    """Where dynamic memory begins: every `extern` array covers all of it."""
    names_dynamic: bool

    def offset(self, variable: Variable) -> int:
        return self.dynamic if variable.linkage == "extern" else self.offsets[variable.name, variable.span]

    def size(self, dynamic: int) -> int:
        """Bytes of a CTA that is launched with this many bytes of dynamic memory."""
        return self.dynamic + dynamic if dynamic else self.static


@dataclass(slots=True, eq=False)
class Program:
    """A checked module. Functions are lowered when they are first needed, because a file may contain hundreds."""

    file: File
    version: tuple[int, int]
    target: str
    address_size: int
    variables: Mapping[str, Variable]  # module level
    reserved_shared: int  # bytes of shared memory reserved for the system, if the module reads their location; at 0
    kernels: tuple[str, ...]  # names of the entries, in text order
    functions: tuple[str, ...]  # names of the device functions that have a body
    external: frozenset[str]  # names of those that are only declared: system functions, or defined elsewhere
    reads_workspace: bool  # whether a function reads `%envreg1`, half of the address of the grid's workspace
    lower: Callable[[str], Function]
    find_address_taken: Callable[[], frozenset[str]]
    definitions: Mapping[str, Span]  # positions in the text of these and of the kernels, with their bodies
    debug: bool = False  # `.target ..., debug`, which the assembler does not optimise
    profile: str = "ptxas"  # with which the file was checked
    contract: str = "off"  # "ptxas": `lower` gives functions with constants folded and products contracted (rewrite/)
    layouts: dict[str, SharedLayout] = field(default_factory=dict[str, SharedLayout])  # by kernel, once asked for
    inlined: dict[str, tuple[Function, Function]] = field(
        init=False, default_factory=dict[str, tuple["Function", "Function"]]
    )
    """Kernels and what the native engine compiles in their place (native/analysis/inlining.py)."""
    digests: dict[str, str] = field(init=False, default_factory=dict[str, str])  # by kernel (native/cache/key.py)
    _lowered: dict[str, Function] = field(default_factory=dict[str, "Function"])
    _address_taken: tuple[str, ...] | None = field(init=False, default=None)

    @property
    def address_taken(self) -> tuple[str, ...]:
        """The functions whose address the module takes anywhere, in text order: what a call by address may reach."""
        if self._address_taken is None:
            taken = self.find_address_taken()
            self._address_taken = tuple(name for name in self.functions if name in taken)
        return self._address_taken

    def own_shared(self, size: int) -> int:
        """The value of `%total_smem_size` in a CTA with `size` bytes of shared memory: in units, without the
        system's."""
        unit = allocation_unit(self.target)
        return -(-(size - self.reserved_shared) // unit) * unit

    @in_standard_floats
    def function(self, name: str) -> Function:
        """The function called `name`; raises KeyError if the module does not define it."""
        if name not in self._lowered:
            if name not in self.kernels and name not in self.functions:
                raise KeyError(name)
            with uncollected():
                self._lowered[name] = self.lower(name)
        return self._lowered[name]
