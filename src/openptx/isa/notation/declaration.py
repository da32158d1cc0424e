"""Instructions as the manual declares them: their registry, the lookup of an opcode, and the registration of
meanings."""

from __future__ import annotations

from importlib import import_module

from openptx.isa.fidelity import EXACT, UNSUPPORTED
from openptx.isa.notation.conditions import conditions
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.notation.ignored_modifiers import ignored_modifiers, without_ignored

TYPE_CHECKING = False  # what `typing` names it; importing `typing` would cost a tenth of a start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import ParamSpec

    from openptx.isa.fidelity import Fidelity
    from openptx.isa.notation.forms import Count, TypeExpression, Value

    Meaning = Callable[..., object]
    Algebra = str | Callable[[Modifiers], str]
    Judge = Callable[[Modifiers], Fidelity]
    Pieces = Callable[[Modifiers], range]
    P = ParamSpec("P")

_NOTHING: Mapping[str, str] = {}
_WHOLE: Mapping[str, Pieces] = {}
_MODULES = "openptx.isa.instructions"
"""Imported by name at the first lookup, because it imports this module."""


class Instruction:
    """One instruction: its declaration from the manual and, once registered, its meaning. Several of them may share a
    mnemonic (`add` of integers, of floats, of halves).

    name                    the mnemonic with the modifiers that belong to it and come first in every spelling: `add.cc`
    syntax                  the manual's syntax block; `// PTX 2.0, sm_20` after a form says since when (`gates.gate`)
    types                   operand -> slot, type name, `wide(slot)`, or a function of the modifiers. Without an entry
                            `a` takes `.atype`, `d` `.dtype`, all others `.type`; a `q` of `p|q` is a predicate
    vectors                 operand -> its number of elements: a number, a slot (`vec`), or a function of the modifiers
    writes                  the destinations, where the first operand isn't called d, p, r or dst
    updates                 destinations that are read too: the meaning gets them among its sources
    immediates              operands that can't be registers, where they aren't called imm...
    ranges                  operand -> its values as a constant, one a line: `b  a multiple of 32` (`ranges.py`)
    may_be_longer           vectors that may have more elements than are used: coordinates of textures
    when                    optional operand -> slot: the operand is present exactly if that modifier is
    defaults                slot -> value where the text leaves it out
    gates                   modifiers -> gate, one a line: `.cluster  PTX 7.8, sm_90` (`conditions.py`, `targets.py`)
    rejects                 modifiers that can't go together -> why, in the same notation
    manual_rejects          the same for what the manual alone rejects; the assembler accepts it
    operand_gates           optional operand -> its gate, if it differs from the form's
    absent                  modifiers -> optional operands that are not allowed with them, in the notation of gates
    pieces                  operand -> where the pieces begin that the assembler makes of its list, each judged by
                            itself: a function of the modifiers with `m.generation`; without an entry there is one
    no_integers             modifiers -> operands that take no integer constants, nor in lists, in the same notation
    operands                what the assembler accepts as operands, one a line: `a  registers` (`operand_rules.py`)
    allows_wider_registers  Tables 27 and 28 hold: registers may be wider than the type
    access                  what it does to memory at its address: "load", "store" or "update"
    reduces                 combines values with memory, where threads of other blocks may do so too: "one" value, or
                            "many" that a copy brings, each by a load and an atomic operation
    relative                the mnemonic of the instruction that does the same with one operand more or less: `red` for
                            `atom`, `mad` for `mul`
    across_lanes            the result depends on which lanes of the warp execute it; it waits for none of them
    converts                a conversion: Tables 15, 17 and 18 apply to its modifiers; bf16 needs registers of its size
    control                 its effect on control flow, which engines implement without a meaning: branch, branch-table,
                            call, return, exit, barrier, warp-barrier, cluster-barrier, trap, breakpoint
    converges               the operand that names the lanes which must arrive together
    carry                   "in", "out", "in out": reads or writes the carry flag CC.CF
    yields_thread           lets other threads run, as a sleep does
    by_generation           the bits depend on the target's generation, which the meaning finds as `m.generation`
    algebra                 what contraction sees in it: product, sum, difference, quotient, fused, copy, negation,
                            magnitude; and for counters of loops integer sum, integer difference, comparison
    folded                  what the assembler computes in place of an approximate form whose operand is a constant
    scales_subnormals       machine code scales subnormal arguments of an approximate form without `.ftz`
    splits_block            the assembler ends a basic block after it, although control flow does not branch
    steps                   about how many simple instructions its machine code is worth, where they are far more than
                            the operands tell: a number, or a function of the modifiers
    ordered_prefix          how many modifiers after the name must come first and in order: 1 for the `.lo` of `mul.lo`;
                            or the slots that do so where a form begins with them: `mipmap` for `tex.level`
    """

    def __init__(
        self, name: str, *, anchor: str, summary: str, syntax: str, types: Mapping[str, TypeExpression] = _NOTHING,
        vectors: Mapping[str, Count] = _NOTHING, writes: str = "", updates: str = "", immediates: str = "",
        ranges: str = "", may_be_longer: str = "", when: Mapping[str, str] = _NOTHING,
        defaults: Mapping[str, Value] = _NOTHING, gates: str = "", rejects: str = "", manual_rejects: str = "",
        operand_gates: Mapping[str, str] = _NOTHING, absent: str = "", pieces: Mapping[str, Pieces] = _WHOLE,
        no_integers: str = "", operands: str = "", allows_wider_registers: bool = False, access: str = "",
        reduces: str = "", relative: str = "", across_lanes: bool = False, converts: bool = False,
        control: str | None = None, converges: str | None = None, carry: str = "", yields_thread: bool = False,
        by_generation: bool = False, algebra: Algebra = "", folded: Callable[[float], float] | None = None,
        scales_subnormals: bool = False, splits_block: bool | Callable[[Modifiers], bool] = False,
        steps: int | Callable[[Modifiers], int] = 1, ordered_prefix: int | str = 0,
    ) -> None:  # fmt: skip
        self.module, self.section = "", ""  # set by the package `isa.instructions` when it imports the module
        self.name, self.anchor, self.summary, self.syntax = name, anchor, summary, syntax
        self.parts = tuple(name.split("."))
        # operands
        self.types, self.vectors, self.when = types, vectors, when
        self.writes, self.updates = frozenset(writes.split()), frozenset(updates.split())
        self.immediates, self.may_be_longer = frozenset(immediates.split()), frozenset(may_be_longer.split())
        self.ranges, self.absent, self.no_integers, self.operands = ranges, absent, no_integers, operands
        self.pieces, self.allows_wider_registers = pieces, allows_wider_registers
        # modifiers
        self.defaults, self.ordered_prefix = defaults, ordered_prefix
        self.gates, self.operand_gates = gates, operand_gates
        self.rejects, self.manual_rejects = rejects, manual_rejects
        # what it does
        self.access, self.reduces, self.carry, self.converts = access, reduces, carry, converts
        self.relative = relative
        self.control, self.converges, self.across_lanes = control, converges, across_lanes
        self.yields_thread, self.steps = yields_thread, steps
        # what the assembler makes of it
        self.by_generation, self.algebra, self.folded = by_generation, algebra, folded
        self.scales_subnormals, self.splits_block = scales_subnormals, splits_block
        self.meaning: Meaning | None = None
        self._fidelity: Fidelity | Judge = UNSUPPORTED
        self._forms: tuple[Form, ...] | None = None

    def __repr__(self) -> str:
        return f"<instruction {self.name}, {self.section}>"

    @property
    def mnemonic(self) -> str:
        return self.parts[0]

    @property
    def forms(self) -> tuple[Form, ...]:
        if self._forms is None:
            from openptx.isa.notation.parser import read

            self._forms = read(self, self.syntax)
        return self._forms

    def fidelity(self, m: Modifiers | None = None) -> Fidelity:
        """The fidelity of a form's results; without `m`, of the first form."""
        if not callable(self._fidelity):
            return self._fidelity
        return self._fidelity(m or self.forms[0].least())

    def means(self, meaning: Meaning, fidelity: Fidelity | Judge) -> None:
        """Sets the meaning; an instruction has exactly one."""
        if self.meaning is not None:
            raise ValueError(f"{self.name} has a meaning already")
        self.meaning = meaning
        self._fidelity = fidelity


INSTRUCTIONS: list[Instruction] = []
"""The instructions of the imported modules; after `load()` all of them, in the manual's order."""

_DECLARED: dict[str, list[Instruction]] = {}
_RESOLVED: dict[tuple[str, str], tuple[tuple[Form, Modifiers], ...]] = {}
MOST_RESOLVED = 1 << 14
"""The maximum number of memoised opcodes."""


def registered(declare: Callable[P, Instruction]) -> Callable[P, Instruction]:
    def register(*args: P.args, **declaration: P.kwargs) -> Instruction:
        made = declare(*args, **declaration)
        INSTRUCTIONS.append(made)
        return made

    return register


instruction = registered(Instruction)
"""Declares an instruction in the manual's notation and registers it."""


def meaning(*instructions: Instruction, fidelity: Fidelity | Judge = EXACT) -> Callable[[Meaning], Meaning]:
    """Decorator: registers a function as the meaning of `instructions`. `fidelity` may be a function of `m`."""

    def register(function: Meaning) -> Meaning:
        for each in instructions:
            each.means(function, fidelity)
        return function

    return register


def load() -> Mapping[str, list[Instruction]]:
    """All instructions by mnemonic (the opcode up to its first dot); imports every module of `isa.instructions`."""
    return import_module(_MODULES).mnemonics()


def instructions_of(mnemonic: str) -> list[Instruction]:
    """The instructions of one mnemonic; imports the modules that declare them. Memoised."""
    known = _DECLARED.get(mnemonic)
    if known is None:
        known = _DECLARED[mnemonic] = import_module(_MODULES).instructions_of(mnemonic)
    return known


def resolve(opcode: str, profile: str = "ptxas") -> tuple[tuple[Form, Modifiers], ...]:
    """The forms that an opcode such as `fma.rn.ftz.f32` may have, in the manual's order; memoised; () if there is none.

    If there are several (`mov` of a register, `mov` of a vector), the first that fits the operands is chosen. `profile`
    is `ptxas` for the forms that the assembler has, `isa` for those of the manual.
    """
    known = _RESOLVED.get((opcode, profile))
    if known is None:
        found = _candidates(opcode, profile)
        known = tuple((form, m) for form, m in found if refusal(form, m, profile) is None)
        if len(_RESOLVED) >= MOST_RESOLVED:  # a language server looks up every opcode as it is typed
            _RESOLVED.clear()
        _RESOLVED[opcode, profile] = known
    return known


def refused(opcode: str, profile: str = "ptxas") -> list[tuple[Form, Modifiers, str]]:
    """The forms whose slots this opcode fills but whose modifiers cannot be combined, and the reason."""
    found = _candidates(opcode, profile)
    return [(form, m, why) for form, m in found if (why := refusal(form, m, profile)) is not None]


def refusal(form: Form, m: Modifiers, profile: str = "ptxas") -> str | None:
    """Why these modifiers cannot be combined; None if they can."""
    table = conditions(form.instruction.rejects)
    if profile == "isa":
        table += conditions(form.instruction.manual_rejects)
    return next((condition.then for condition in table if condition.holds(m)), None)


def _names(instruction: Instruction, modifiers: tuple[str, ...]) -> bool:
    """Whether the syntax mentions these modifiers anywhere. If not, it need not be parsed: this search costs a
    thousandth of that."""
    return all(part in instruction.syntax for modifier in modifiers for part in modifier.split("::"))


def _candidates(opcode: str, profile: str) -> list[tuple[Form, Modifiers]]:
    mnemonic, *modifiers = opcode.split(".")
    found: list[tuple[Form, Modifiers]] = []
    for each in instructions_of(mnemonic):
        own = each.parts[1:]
        rest = tuple(modifiers[len(own) :])
        if tuple(modifiers[: len(own)]) != own or not _names(each, rest):
            continue
        strict = profile == "isa"
        forms = (form for form in each.forms if profile in form.profiles)
        found += [(form, m) for form in forms if (m := form.match(rest, strict)) is not None]
    return found or (_ignoring(mnemonic, tuple(modifiers)) if profile == "ptxas" else found)


def _ignoring(mnemonic: str, modifiers: tuple[str, ...]) -> list[tuple[Form, Modifiers]]:
    """The forms of an opcode without the modifiers that the assembler ignores; none of them is in front of a name."""
    ignored = ignored_modifiers(".".join((mnemonic, *modifiers)))
    found: list[tuple[Form, Modifiers]] = []
    for each in instructions_of(mnemonic) if ignored else ():
        own = each.parts[1:]
        if modifiers[: len(own)] != own:
            continue
        for form in each.forms:
            rest, first = without_ignored(form, modifiers[len(own) :], ignored)
            m = form.match(rest) if "ptxas" in form.profiles else None
            if m is not None and form.prefix(rest) <= first:
                found.append((form, m))
    return found
