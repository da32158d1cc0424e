"""What the assembler accepts as operands of single instructions beyond the document's general rules.

An instruction lists it, one line an operand: its name (`*` for all of them), two blanks or more, then phrases.

    a b     registers            no constant, no sum and no name of a function
    *       no constant          no number
    *       no sum               nothing to which a constant is added, `r+4`
    *       no function          no name of a function
    c       strictly             integers and bits alone, no floats and no pairs of halves, whatever Table 26 says
    c       no pairs             no `.f16x2` register for a signed or unsigned type
    r       as .b32              judged as if the instruction said this type, where that has the same size
    rbits   exactly              a register of exactly this type, no constant
    fptr    an address           in 32 or 64 bits
    addr    any register         of at most 64 bits, of whatever kind, as an address
    addr    constant             a constant as an address outside of `.local`
    d       integers in lists    `.u16` and the like among the elements of a list of `.f16` or `.f32`
    s       integers after one   any integer or bit register in a list that begins with an integer constant
    a       wider                registers may be wider, as Tables 27 and 28 have it
    *       sink                 a result may be left out: `_`; `sink since PTX 7.1`: from that version on
    *       negated              `!p`, though the manual's syntax has no {!}
    *       minus                `-r`, though the manual's syntax has no {-}
    a       variable             the address of a variable
    a       special              a special register of this size; `any special`: of any size, if all types are integers
    addr    in .shared           the state space of a variable whose name is used as a generic address
    b       registers in lists   a list of constants only is rejected, a single constant is accepted
    r       short floats         no 64-bit float constant (`1.0`, `0d...`) in a list; `0f...` is accepted
    a       short floats if .rna the same for a constant alone, for an opcode with the modifier
    r       plain elements       no predicate, special register, variable or 64-bit float for 32 bits in a list
    d       one of several       a list of two or four where one value is expected
    d       a list of one        `{r}` where no list is expected
    d       a list of one float  the same, if the type of the opcode is one of floats
    a       without brackets     an address whose brackets may be left out, and in any register then
    e       an ignored integer   a single integer where a list is expected, as if the operand were left out
    a       one value            a single value where a list is expected: its first element; the others are zero
    r       no sinks             no element of a list of results may be `_`
    a       sinks in lists       an element of a source may be `_`, where the type is .b32
    b       sinks in 256 bits    the same, if the whole list has 256 bits
    a       packed               a list that is packed into one register, or a register that is unpacked
    a       element              an array element without brackets, `x[i]`
    p       wide                 a 32-bit address is reported, since the assembler's code generator may reject it
    a       64 bits              an address in a register of 64 bits
    a       32 bits              an address in a register of 32 bits or more
    a       32 bits if .generic  the same for a generic address; `if .m`: for an opcode with the modifier m
    a       no texture           no name of a texture or surface
    a       no variable if .m    no variable as an address, for an opcode with the modifier m
    a       passed on            a value that is only moved, so that its register need not have been written
    b       passed on by .b8     the same for the opcode with these modifiers and no others
    b       padded               a list of which only the first element need have been written
    s       a sampler            a `.samplerref`, in the unified texture mode too, where textures pass for samplers
    a       functions            the name of a function (6.4.4), if the type has 32 bits or more
"""

from __future__ import annotations

from functools import cache

from openptx.isa.notation.declaration import Instruction

_FLAGS = frozenset((
    "registers", "no constant", "no sum", "no function", "strictly", "exactly", "an address", "wider", "sink",
    "negated", "minus", "variable", "special", "any special", "one of several", "a list of one", "one value",
    "sinks in lists", "packed", "element", "functions", "wide", "no pairs", "sinks in 256 bits", "passed on",
    "padded", "64 bits", "32 bits", "any register", "integers in lists", "registers in lists", "an ignored integer",
    "integers after one",
    "short floats", "plain elements", "a list of one float", "without brackets", "no sinks", "a sampler", "no texture",
    "constant",
))  # fmt: skip


_SINK_SINCE = "sink since "


class OperandRule:
    """The phrases of one operand: `rule.says("registers")`, `rule.type` from `as .b32`, `rule.space` from `in
    .shared`."""

    __slots__ = ("_held_if", "_passing", "_phrases", "_short_if", "_wide_if", "sink_gate", "space", "type")

    def __init__(self, phrases: frozenset[str]) -> None:
        self._phrases = phrases
        self.type = self.space = self.sink_gate = self._wide_if = self._short_if = self._held_if = ""
        self._passing: list[str] | None = None
        for phrase in phrases - _FLAGS:
            if phrase.startswith(_SINK_SINCE):
                self.sink_gate = phrase.removeprefix(_SINK_SINCE)
                continue
            word, _, name = phrase.partition(" .")
            if word == "as" and name:
                self.type = name
            elif word == "in" and name:
                self.space = name
            elif word == "32 bits if" and name:
                self._wide_if = name
            elif word == "no variable if" and name:
                self._held_if = name
            elif word == "short floats if" and name:
                self._short_if = name
            elif word == "passed on by" and name:
                self._passing = name.split(".")
            else:
                raise ValueError(f"not a rule of operands: {phrase!r}")

    def says(self, phrase: str) -> bool:
        return phrase in self._phrases

    def needs_32_bits(self, space: str | None, modifiers: tuple[str, ...]) -> bool:
        """Whether a register with an address in this state space must have 32 bits or more."""
        return "32 bits" in self._phrases or self._wide_if in (space, *modifiers)

    def needs_short_floats(self, modifiers: tuple[str, ...]) -> bool:
        """Whether a floating-point constant must have 32 bits."""
        return self._short_if in modifiers

    def needs_register(self, modifiers: tuple[str, ...]) -> bool:
        """Whether an address must be in a register."""
        return self._held_if in modifiers

    def passes_on(self, modifiers: tuple[str, ...]) -> bool:
        """Whether an instruction with these modifiers only passes the operand on."""
        return "passed on" in self._phrases or [*modifiers] == self._passing


@cache
def _parse(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    found: list[tuple[frozenset[str], frozenset[str]]] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        names, _, phrases = line.partition("  ")
        found.append((frozenset(names.split()), frozenset(map(str.strip, phrases.split(",")))))
    return tuple(found)


_EMPTY = OperandRule(frozenset())


@cache
def _rule(text: str, operand: str) -> OperandRule:
    said = [phrases for names, phrases in _parse(text) if operand in names or "*" in names]
    return OperandRule(frozenset[str]().union(*said)) if said else _EMPTY


def operand_rule(instruction: Instruction, operand: str) -> OperandRule:
    """The rule declared for the operand with this name."""
    return _rule(instruction.operands, operand) if instruction.operands else _EMPTY
