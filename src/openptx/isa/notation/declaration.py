"""An instruction as the manual declares it."""

from __future__ import annotations

from openptx.isa.fidelity import UNSUPPORTED
from openptx.isa.notation.forms import Form
from openptx.isa.notation.parser import read
from openptx.isa.notation.slots import give_roles

TYPE_CHECKING = False  # what `typing` names it; importing `typing` would cost a tenth of a start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from openptx.isa.fidelity import Fidelity
    from openptx.isa.notation.forms import Count, Modifiers, TypeExpression, Value

    Meaning = Callable[..., object]
    Algebra = str | Callable[[Modifiers], str]
    Judge = Callable[[Modifiers], Fidelity]
    Pieces = Callable[[Modifiers], range]

_NOTHING: Mapping[str, str] = {}
_WHOLE: Mapping[str, Pieces] = {}


class Instruction:
    """One instruction: its declaration from the manual and, once registered, its meaning. Several of them may share a
    mnemonic (`add` of integers, of floats, of halves).

    name                    the mnemonic with the modifiers that belong to it and come first in every spelling: `add.cc`
    syntax                  the manual's syntax block; `// PTX 2.0, sm_20` after a form says since when (`gates.py`)
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
                            magnitude, minimum, maximum, reciprocal, power of two; and for counters of loops
                            integer sum, integer difference, comparison
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
            lines = read(self.name, self.syntax)
            for _, templates, *_ in lines:
                give_roles(templates, self.writes, self.immediates, self.vectors, self.when)
            self._forms = tuple(Form(self, *line) for line in lines)
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
