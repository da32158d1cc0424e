"""Finds declarations that are wrong because most uses of their names are: one finding in place of all of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.diagnostics.kinds import DECLARED, VARIABLE
from openptx.isa.types import TYPES
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.lexical import LETTER

_OF_TYPES = frozenset(("operand-type", "operand-size", "argument-type", "address-register", "state-space"))
_OF_VECTORS = _OF_TYPES | {"vector-length"}
"""Errors of a vector that stands where a single register belongs."""
_OF_ADDRESSES = frozenset(("operand-kind", "destination", "negation", "vector-length", "vector-element"))
"""Errors of a variable whose address stands where a register belongs."""
_MOST = 100
"""Declarations that are looked at; more are wrong in no file that a person wrote."""
_LEAST = 3
"""Misuses of the names of one declaration that make it wrong, if they are most of the uses; two if they are all."""
_SHARE = 3
"""One of so many uses is a misuse, at least, where a declared type has another size than is wanted."""
_WORD = pattern(r"\.\w+")
_TYPE = pattern(r"\.(?:[busf](?:8|16|32|64|128)|pred)\b")
_VECTOR = pattern(r"\.v[248]\b\s*")
_SPACE = pattern(r"\.(?:global|shared|local|param|const)\b")


def folded(found: list[Diagnostic], wrong: list[Diagnostic], body: Span) -> list[Diagnostic]:
    """The findings of a body with one for each wrong declaration. `wrong`: all that was found before; misuses of what
    it is about are its consequences."""
    replaced: dict[int, Diagnostic | None] = {}
    for declared, misuses in list(_by_declaration(found).items())[:_MOST]:
        text = misuses[0].file.text
        statement = _statement(text, declared)
        misused = {id(each) for each in misuses}
        others = (each for each in (*wrong, *found) if each.severity == "error" and id(each) not in misused)
        error = next((each for each in others if _inside(each.span, statement)), None)
        if error is not None:
            first, single = error, _meant_otherwise(error, misuses)
        elif _is_wrong(misuses, text, declared, body):
            first, single = misuses[0], _of_declaration(misuses, declared, statement)
        else:
            continue
        others = (other for key, other in replaced.items() if key != id(first) and other is not None)
        again = any(other.span == single.span for other in others)  # of another name of the same declaration
        replaced |= {id(each): None for each in misuses} | {id(first): None if again else single}
    return [new for each in found if (new := replaced.get(id(each), each)) is not None]


def one_cause(
    errors: list[Diagnostic], body_of: Callable[[Diagnostic], Span | None]
) -> Iterator[tuple[Diagnostic, list[Diagnostic]]]:
    """What would be the errors of declarations, with the misuses of their names in several lines. That the other uses
    allow the type that these want remains to be proven."""
    by_statement: dict[Span, list[tuple[Span, Diagnostic]]] = defaultdict(list)
    for declared, misuses in list(_by_declaration(errors).items())[:_MOST]:
        statement = _statement(misuses[0].file.text, declared)
        by_statement[statement] += [(declared, each) for each in misuses if each.name in _OF_TYPES - {"state-space"}]
    for statement, uses in by_statement.items():
        misuses = [each for _, each in uses]
        if len({each.location[0] for each in misuses}) < 2 or (body := body_of(misuses[0])) is None:
            continue
        names = list(dict.fromkeys(declared for declared, _ in uses))
        one = _of_declaration(misuses, min(names), statement)
        if one.fix is not None and _is_likely(one, misuses, names, body):
            yield one, misuses


def _is_likely(one: Diagnostic, misuses: list[Diagnostic], names: list[Span], body: Span) -> bool:
    """Whether a declaration is to blame, since it has no other uses; or it is a range, of another size than many uses
    want, or of numbers where bits are wanted. Bits would suit all numbers of their size, so they prove nothing."""
    text, common = one.file.text, [TYPES[each[1:]] for each in _types(misuses)]
    lines = len({each.location[0] for each in misuses})
    used = len({line for name in names for line in _uses(text, name, body)})
    own = TYPES.get(text[slice(*one.span)][1:])
    if own is None or not common:
        return False
    if used == lines:
        return True
    if not all(text[end:].startswith("<") for _, end in names):
        return False
    if own.width != common[0].width:
        return _SHARE * lines >= used
    return all(each.kind == "b" or each.count > 1 for each in common)


def _by_declaration(found: list[Diagnostic]) -> dict[Span, list[Diagnostic]]:
    """The misuses of declared names, by the place of the declaration."""
    groups: dict[Span, list[Diagnostic]] = defaultdict(list)
    for each in found:
        label = next((label for label in each.labels if label.kind in (DECLARED, VARIABLE)), None)
        fitting = _OF_ADDRESSES | _OF_TYPES if label and label.kind == VARIABLE else _OF_VECTORS
        if label and each.name in fitting:
            groups[label.span].append(each)
    return groups


def _is_wrong(misuses: list[Diagnostic], text: str, declared: Span, body: Span) -> bool:
    """Whether a declaration is wrong, rather than the instructions that use it."""
    if all(each.name == "state-space" for each in misuses):
        return False
    uses = len(_uses(text, declared, body))
    if len(misuses) == uses == 2:
        return bool(_types(misuses)) or _are_vectors(text, declared, _statement(text, declared))
    return len(misuses) >= _LEAST and 2 * len(misuses) >= uses


def _statement(text: str, declared: Span) -> Span:
    """The declaration around a declared name."""
    start = max(text.rfind(mark, 0, declared[0]) for mark in ";{}\n") + 1
    ends = (text.find(mark, declared[1]) for mark in ";{)\n")
    return start, min((end for end in ends if end >= 0), default=len(text))


def _are_vectors(text: str, declared: Span, statement: Span) -> bool:
    """Whether a declaration is of vectors in registers."""
    return bool(_VECTOR.search(text, statement[0], declared[0])) and ".reg" in text[slice(*statement)]


def _inside(span: Span, statement: Span) -> bool:
    return statement[0] <= span[0] and span[1] <= statement[1]


def _uses(text: str, declared: Span, body: Span) -> set[int]:
    """The lines of the body in which the names are used, by the ends of those before them."""
    name = text[slice(*declared)]
    ranged = text[declared[1] :].startswith("<")
    use = re.compile(rf"(?<!{LETTER})(?<!%){re.escape(name)}{'[0-9]+' if ranged else ''}(?!{LETTER})", re.A)
    start = max(body[0], declared[1])
    return {text.rfind("\n", 0, each.start()) for each in use.finditer(text, start, body[1])}


def _types(misuses: list[Diagnostic]) -> list[str]:
    """The types that every misuse wants, bits first."""
    types = [{each for each in _WORD.findall(misuse.expected or "") if each[1:] in TYPES} for misuse in misuses]
    wanted = [each for each in types if each]
    return (
        sorted(wanted[0].intersection(*wanted), key=lambda name: (name[1] != "b", TYPES[name[1:]].width))
        if wanted
        else []
    )


def _meant_otherwise(error: Diagnostic, misuses: list[Diagnostic]) -> Diagnostic:
    """The error of a declaration, with the type that its names are used as."""
    common = _types(misuses)
    if error.fix is None or error.fix.replacement[1:] not in TYPES or not common or error.fix.replacement in common:
        return error
    found = error.advising(f"declare it `{common[0]}`", Fix(error.fix.span, common[0], f"declare it `{common[0]}`"))
    found.label = "no type of variables"
    return found


def _of_declaration(misuses: list[Diagnostic], declared: Span, statement: Span) -> Diagnostic:
    """The finding about a declaration."""
    first, text = misuses[0], misuses[0].file.text
    names = text[slice(*declared)]
    common = _types(misuses)
    vectors = _are_vectors(text, declared, statement)
    addresses = not vectors and all(each.name in _OF_ADDRESSES for each in misuses if each.name != "state-space")
    sought = _SPACE if addresses else _VECTOR if vectors else _TYPE
    place = sought.search(text, statement[0], declared[0])
    meant = ".reg" if addresses else "" if vectors else common[0] if common else None
    if place is None or meant in (None, place[0]):
        message, span, fix = f"{len(misuses)} uses of `{names}` do not fit its declaration", declared, None
        help = f"declare it `{meant}`" if meant else first.help
    else:
        what = "registers" if addresses else "single registers" if vectors else f"`{meant}`"
        message = f"`{names}` is declared `{place[0].strip()}`, but used as {what} {len(misuses)} times"
        help = f"declare it `{meant}`" if meant else f"declare it without `{place[0].strip()}`"
        span, fix = place.span(), Fix(place.span(), meant, help)
    return Diagnostic(
        first.name, message, first.file, span, "wrong for most of its uses",
        labels=(Label(first.span, "the first of them"),), operand=first.operand, expected=meant or first.expected,
        actual=first.actual, rule=first.rule, help=help, fix=fix,
    )  # fmt: skip
