"""The registry of instructions: the lookup of an opcode, and the registration of meanings."""

from __future__ import annotations

from importlib import import_module

from openptx.isa.fidelity import EXACT
from openptx.isa.notation.conditions import conditions
from openptx.isa.notation.declaration import Instruction
from openptx.isa.notation.ignored_modifiers import ignored_modifiers, without_ignored

TYPE_CHECKING = False  # what `typing` names it; importing `typing` would cost a tenth of a start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import ParamSpec

    from openptx.isa.fidelity import Fidelity
    from openptx.isa.notation.declaration import Judge, Meaning
    from openptx.isa.notation.forms import Form, Modifiers

    P = ParamSpec("P")

_MODULES = "openptx.isa.instructions"
"""Imported by name at the first lookup, because it imports this module."""

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
