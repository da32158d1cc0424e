"""What declaration an undeclared register lacks."""

from __future__ import annotations

import re

from openptx.check.names.scopes import split_number
from openptx.check.operand import kinds
from openptx.check.spelling import Suggestions
from openptx.diagnostics import Fix
from openptx.isa.types import TYPES
from openptx.source import Span
from openptx.syntax.lexical import LETTER
from openptx.syntax.tree import Function, Instruction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.problems import Suits

PLAIN = ("pred", "b16", "b32", "b64", "b128", "b8")
"""The types that a register may be declared with, one of each size."""
_MOST = 16
"""The most names that are declared one by one."""
_LONGEST = 100
"""Characters of a name that is looked for in its function."""


def declaration(
    name: str, span: Span, suits: Suits | None, function: Function, budget: Suggestions
) -> tuple[str | None, str]:
    """The help for a register `name` without a declaration, and the one that suits the place at `span`; without that
    where it stands too late."""
    text, end = function.file.text, function.span[1]
    budget.left -= end - span[1]
    if len(name) > _LONGEST or "." in name or budget.left <= 0:
        return None, ""
    if (below := declared(name, text, span[1], end)) is not None:
        row = 1 + text.count("\n", 0, below[0])
        return f"its declaration stands below, in line {row}: move it before this", ""
    prefix, number = split_number(name)
    if suits is None:
        return None, ""
    type = next((each for each in PLAIN if suits(kinds.register(TYPES[each]))), None)
    if type is None:
        return None, ""
    used = numbers(prefix, function) if number is not None and name[0] == "%" else []
    if (single := _declared_singly(prefix, function) if used else None) is not None:
        missing = sorted({*used} - single | {number or 0})
        if len(missing) > _MOST:
            return None, ""
        written = f".reg .{type} {', '.join(f'{prefix}{number}' for number in missing)};"
        return f"declare {'it' if len(missing) == 1 else 'them'}: `{written}`", written
    if len(set(used)) > 1:
        written = f".reg .{type} {prefix}<{max(used) + 1}>;"
        return f"declare them: `{written}`", written
    written = f".reg .{type} {name};"
    return f"declare it: `{written}`", written


def _declared_singly(prefix: str, function: Function) -> set[int] | None:
    """The numbers of the registers with a prefix, if the function declares each by its name; None if it has none."""
    found = re.compile(rf"\.reg\b[^;{{}}<]*?\s{re.escape(prefix)}([0-9]{{1,9}})\s*;", re.A)
    return {int(each) for each in found.findall(function.file.text, *function.span)} or None


def declared(name: str, text: str, start: int, end: int) -> Span | None:
    """Where a name, or the range that has it, is declared between two offsets."""
    if len(name) > _LONGEST:
        return None
    named = rf"{re.escape(name)}(?!{LETTER})|{re.escape(split_number(name)[0])}(?=<)"
    found = re.compile(rf"(?<!{LETTER})\.(?:reg|local|shared|param)\b[^;{{}}]*[\s,]({named})", re.A).search(
        text, start, end
    )
    return found.span(1) if found is not None else None


def numbers(prefix: str, function: Function) -> list[int]:
    """The numbers that a function names with a prefix; 0 where there are none."""
    found = re.compile(rf"(?<!{LETTER})(?<!%){re.escape(prefix)}([0-9]{{1,9}})(?!{LETTER})", re.A)
    return [int(each) for each in found.findall(function.file.text, *function.span)] or [0]


_OF_MODULE = (".global", ".const")
_SPACES = (".shared", ".local", *_OF_MODULE)


def variable(
    name: str, span: Span, instruction: Instruction, function: Function, suits: Suits | None
) -> tuple[str | None, Fix | None]:
    """The declaration of what an instruction accesses by its name: a variable in the space of the access, with a fix if
    it needs no size; or a parameter."""
    text, modifiers = function.file.text, instruction.modifiers
    type = next((each for each in reversed(modifiers) if each[1:] in TYPES), None)
    if type is None or function.body is None:
        return None, None
    if text[: span[0]].rstrip()[-1:] != "[":
        pointed_at = suits is not None and suits(_VARIABLE)
        return _pointed_at(name, function) if pointed_at else None, None
    if ".param" in modifiers:
        return _parameter(name, span, type, function)
    if name[0] == "%":
        return None, None
    space = next((each for each in modifiers if each.partition("::")[0] in _SPACES), "").partition("::")[0]
    if not space:
        return None, None
    if re.search(rf"(?<!{LETTER}){re.escape(name)}\s*[+\[]", text[slice(*function.span)], re.A):
        return f"declare it, with its size in elements: `{space} {type} {name}[...];`", None
    written = f"{space} {type} {name};"
    start = function.span[0] if space in _OF_MODULE else function.body[0]
    line = f"{written}\n" if space in _OF_MODULE else f"\n    {written}"
    return f"declare it: `{written}`", Fix((start, start), line, "declare it")


_VARIABLE = kinds.variable("b8", "shared", 4, 4, (4,), 1, "a variable")


def _pointed_at(name: str, function: Function) -> str | None:
    """The help for a name that may be a variable: it is one if it has no `%` and all registers of the function have
    one."""
    if name[0] == "%":
        return None
    registers = _DECLARED.findall(function.file.text, *function.span)
    if not registers or any(each != "%" for each in registers):
        return None
    space = ".local" if name.startswith("__local_depot") else ".shared"
    return f"declare the variable whose address this is, with its space and size: `{space} .align 4 .b8 {name}[...];`"


_DECLARED = re.compile(r"\.reg\s+(?:\.v[24]\s+)?\.\w+\s+(\S)")


def _parameter(name: str, span: Span, type: str, function: Function) -> tuple[str | None, Fix | None]:
    """The declaration of what `ld.param` and `st.param` access: a parameter of the function, if its name says so, at
    the place of its number; or else one of a call."""
    if not name.startswith(f"{function.name.text}_param"):
        return f"declare it before, `.param {type} {name};`, or as a parameter of `{function.name.text}`", None
    written, number = f".param {type} {name}", split_number(name)[1]
    help = f"declare it as a parameter of `{function.name.text}`: `{written}`"
    taken = function.parameters
    if not taken:
        return _all_parameters(name, function) or (help, None)
    unused = [each for each in (one.names[0].name.text for one in taken) if count(each, function) == 1]
    if len(unused) == 1 and (number is None or number >= len(taken)):
        return f"did you mean `{unused[0]}`, which is not used?", Fix(span, unused[0], f"write `{unused[0]}`")
    if function.kind == "func":  # its calls would have to pass it
        return help, None
    if number is not None and number < len(taken):
        start = taken[number].span[0]
        return help, Fix((start, start), f"{written},\n\t", "declare it")
    end = taken[-1].span[1]
    return help, Fix((end, end), f",\n\t{written}", "declare it")


def _all_parameters(name: str, function: Function) -> tuple[str, Fix | None] | None:
    """The declarations of all parameters that a function without any reads, if each is read and has a number; a fix
    for kernels, since calls would have to pass them."""
    text, prefix = function.file.text, split_number(name)[0]
    read = re.compile(rf"\bld\.param(?:\.[\w:]+)*?(\.\w+)\s+[^;\[]*\[\s*{re.escape(prefix)}([0-9]{{1,3}})\s*\]", re.A)
    types = {int(number): type for type, number in read.findall(text, *function.span)}
    if sorted(types) != [*range(len(types))]:
        return None
    written = ", ".join(f".param {types[number]} {prefix}{number}" for number in range(len(types)))
    one = "it as a parameter" if len(types) == 1 else "them as parameters"
    empty = _EMPTY.search(text, *function.header) if function.kind == "entry" else None
    fix = Fix(empty.span(), f"({written})", "declare it" if len(types) == 1 else "declare them") if empty else None
    return f"declare {one} of `{function.name.text}`: `{written}`", fix


_EMPTY = re.compile(r"\(\s*\)")


def count(name: str, function: Function) -> int:
    """How often a function has a name."""
    named = re.compile(rf"(?<!{LETTER})(?<!%){re.escape(name)}(?!{LETTER})", re.A)
    return len(named.findall(function.file.text, *function.span))
