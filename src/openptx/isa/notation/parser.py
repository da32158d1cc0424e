"""Parses the manual's notation: the lines of syntax blocks become slots and templates."""

from __future__ import annotations

import re

from openptx.isa.notation.gates import gate
from openptx.isa.notation.slots import Slot, Template
from openptx.patterns import pattern

TYPE_CHECKING = False  # what `typing` names it; importing `typing` would cost a tenth of a start
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.isa.notation.gates import Gate

    # What a form consists of: slots, templates of operands, gate, text, profiles.
    Line = tuple[tuple[Slot, ...], tuple[Template, ...], Gate, str, tuple[str, ...]]

PROFILES = ("isa", "ptxas")
ONLY = {"(ptxas)": "ptxas", "(manual)": "isa"}
_COMMENT = pattern(r"//\s*(.*)$")
_SINCE = pattern(r"(?:PTX \d|sm_\d).*$")
_DEFINITION = pattern(r"((?:\.?[\w:-]+\s*=\s*)+)\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\s*;?")
_OPENING = frozenset("{[(")
_NAME = r"\w+(?:::[\w]+)*"
_PIECE = pattern(
    rf"""
      # .shared, .shared{{::cta}}, .shared::{{cta}}
      \. ({_NAME}) (?: \{{ ((?:\s*::\w+\s*,?)+) \}} | ::\{{ ([\w\s,]+) \}} )?
    | \. \{{ ([^{{}}]*) \}}                                                   # .{{1d, 2d}}: choose one
    | \{{ ((?:[^{{}}]|\{{[^{{}}]*\}})*) \}}                                   # an option, or {{.hi,.lo}}: choose one
    """,
    re.VERBOSE,
)


class Definition:
    """`.name = { choices }` in a paragraph of the block; `none` among the choices makes the slot optional."""

    __slots__ = ("choices", "names", "optional", "paragraph")

    def __init__(self, names: tuple[str, ...], choices: dict[str, None], optional: bool, paragraph: int) -> None:
        self.names = names
        self.choices = choices
        self.optional = optional
        self.paragraph = paragraph


def read(name: str, block: str) -> list[Line]:
    """The forms of an instruction of this name in its syntax block. Raises ValueError, quoting the text, if it cannot
    be parsed.

    A paragraph is some forms followed by their definitions; a blank line between two forms also separates paragraphs. A
    name refers to its definition in the same paragraph, or else to the last one of the block.

    A comment `// PTX 2.0, sm_20` after a form is its gate; on a line of its own it is that of the forms that follow
    without one. `(ptxas)` or `(manual)` after it: only the assembler, or only the manual, has the form.
    """
    forms: list[tuple[str, str, int]] = []
    definitions: list[Definition] = []
    since, paragraph, open_ = "", 0, True
    for statement, comment in statements(block):
        match = _DEFINITION.fullmatch(statement)
        if match:
            names = tuple(name.strip().removeprefix(".") for name in match[1].split("=") if name.strip())
            chosen = choices(match[2])
            optional = chosen.pop("none", chosen) is None
            definitions.append(Definition(names, chosen, optional, paragraph))
            open_ = False
        elif statement:
            paragraph += not open_
            open_ = True
            forms.append((statement, comment or since, paragraph))
        elif comment:
            since = comment
        else:
            open_ = False
    return [_line(name, text, comment, definitions, where) for text, comment, where in forms]


def statements(block: str) -> Iterator[tuple[str, str]]:
    """The statements of a block with blanks collapsed, and the gate in the comment after each.

    A blank line becomes an empty statement, a comment on its own an empty statement with a gate. Headings (`Alternate
    floating point type :`) and rules of dashes are skipped.
    """
    text = ""
    for line in block.splitlines():
        found = _COMMENT.search(line)
        since = _SINCE.search(found[1]) if found else None
        comment = since[0].strip() if since else ""
        bare = (line[: found.start()] if found else line).strip()
        if not text and (not bare or bare.endswith(":") or set(bare) == {"-"}):
            if comment or not line.strip():
                yield "", comment
            continue
        opcode_goes_on = bare.startswith((".", "{.")) and not _split_form(text)[1]
        text = f"{text}{'' if opcode_goes_on else ' '}{bare}".strip()
        complete = text.endswith(";") or (_DEFINITION.fullmatch(text) is not None)
        if complete:
            yield " ".join(text.removesuffix(";").split()), comment
            text = ""
    if text:
        raise ValueError(f"statement without end: {text!r}")


def choices(text: str) -> dict[str, None]:
    """The alternatives in a pair of braces, without their leading dots and with `{::cta, ::cluster}` multiplied out."""
    found: dict[str, None] = {}
    for part in _split(text):
        part = part.strip().removeprefix(".").strip()
        if not part:
            continue
        suffixed = re.fullmatch(r"([^{]*?)(::)?\{([^{}]*)\}", part)
        if suffixed is None:
            found[part] = None
        elif suffixed[2]:  # async.shared::{cta, cluster}
            found |= dict.fromkeys(f"{suffixed[1]}::{s.strip()}" for s in suffixed[3].split(","))
        else:  # shared{::cta, ::cluster}
            found |= dict.fromkeys(suffixed[1] + s.strip() for s in ("", *suffixed[3].split(",")))
    return found


def _split(text: str) -> list[str]:
    """`text` split at its commas, except within brackets or braces."""
    if _OPENING.isdisjoint(text):
        return text.split(",")
    parts: list[str] = []
    depth = start = 0
    for i, c in enumerate(text):
        depth += (c in "{[(") - (c in "}])")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def _line(name: str, text: str, since: str, definitions: list[Definition], paragraph: int) -> Line:
    bare = re.sub(r"^@\{?!?\}?p\s+", "", text)
    opcode, operands = _split_form(bare)
    if not opcode.startswith(name):
        raise ValueError(f"not a form of {name}: {text!r}")
    slots = tuple(_slots(opcode[len(name) :], definitions, paragraph, text))
    templates = tuple(_operands(operands, definitions))
    only = next((profile for mark, profile in ONLY.items() if since.endswith(mark)), None)
    since = since.partition("(")[0].strip()
    return slots, templates, gate(since), text, PROFILES if only is None else (only,)


def _split_form(text: str) -> tuple[str, str]:
    """A form's opcode and operands, separated by the first blank outside braces."""
    end = text.find(" ")
    while end >= 0 and text.count("{", 0, end) != text.count("}", 0, end):
        end = text.find(" ", end + 1)
    return (text[:end].replace(" ", ""), text[end + 1 :]) if end >= 0 else (text.replace(" ", ""), "")


def _slots(text: str, definitions: list[Definition], paragraph: int, whole: str) -> Iterator[Slot]:
    position, group = 0, 0
    while position < len(text):
        match = _PIECE.match(text, position)
        if match is None:
            raise ValueError(f"can't read {text[position:]!r} in {whole!r}")
        position = match.end()
        name, suffixes, tails, one_of, option = match.groups()
        if name is not None:
            yield _slot(name, suffixes, tails, False, 0, definitions, paragraph)
        elif one_of is not None:
            yield Slot("one_of", choices(one_of), False, False)
        elif "," in _outside_braces(option):
            yield Slot("one_of", choices(option), False, False)
        else:
            inner = list(_PIECE.finditer(option))
            if "".join(m[0] for m in inner) != option or not inner:
                raise ValueError(f"can't read option {option!r} in {whole!r}")
            group += 1
            for m in inner:
                yield _slot(m[1], m[2], m[3], True, group if len(inner) > 1 else 0, definitions, paragraph)


def _outside_braces(text: str) -> str:
    return re.sub(r"\{[^{}]*\}", "", text)


def _slot(
    name: str, suffixes: str | None, tails: str | None, optional: bool, group: int, definitions: list[Definition],
    paragraph: int,
) -> Slot:  # fmt: skip
    if suffixes is not None:
        return Slot(name, choices(f"{name}{{{suffixes}}}"), optional, False, group)
    if tails is not None:
        return Slot(name, choices(f"{name}::{{{tails}}}"), optional, False, group)
    known = [d for d in definitions if name in d.names]
    if not known:
        return Slot(name, {name: None}, optional, True, group)
    definition = next((d for d in known if d.paragraph == paragraph), known[-1])
    return Slot(name, definition.choices, optional or definition.optional, False, group)


_OPERAND = pattern(
    r"""
      (?: (?P<not>\{!\}) | (?P<minus>\{-\}) )?
      (?: \[ (?P<parts>[^\[\]]*) \]
        | \( (?P<list>[\w-]+) \)
        | \{ (?P<elements>[^{}]*) \}
        | (?P<name>[A-Za-z_][\w-]*) (?: \. (?P<selected>\w+) )? )
      (?: \{ \.(?P<suffix>\w+) \} )?
      (?: \[ \| (?P<maybe>[\w-]+) \] | \s*\|\s* (?P<second>[\w-]+) )?
    """,
    re.VERBOSE,
)


def _operands(text: str, definitions: list[Definition]) -> Iterator[Template]:
    """The templates of an operand list, options in braces with the comma inside: `a{, b}, c`, `[a, {b,} c]`."""
    option = 0
    for chunk, optional in _chunks(text):
        if optional:
            option += 1
        for operand in _split(chunk):
            operand = operand.strip()
            if not operand:
                continue
            match = _OPERAND.fullmatch(operand)
            if match is None:
                raise ValueError(f"can't read operand {operand!r} in {text!r}")
            number = option if optional else 0
            template = _template(match, number, definitions)
            yield template
            second = match["maybe"] or match["second"]
            if second:
                pair = Template(second, "write", number)
                pair.pair = True
                if match["maybe"]:
                    pair.optional = -1
                yield pair


def _chunks(text: str) -> Iterator[tuple[str, bool]]:
    """Splits an operand list into the mandatory part and what `{, x}` or `{x,}` make optional."""
    start, position = 0, 0
    while position < len(text):
        if text[position] == "[" and "|" not in text[position : position + 2]:
            position = text.index("]", position) + 1
        elif text[position] == "{":
            end = _closing(text, position)
            inner = text[position + 1 : end].strip()
            if inner.startswith(",") or inner.endswith(","):
                yield text[start:position], False
                yield inner.strip(","), True
                start = end + 1
            position = end + 1
        else:
            position += 1
    yield text[start:], False


def _closing(text: str, position: int) -> int:
    depth = 0
    for i in range(position, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i
    raise ValueError(f"no closing brace in {text!r}")


def _template(match: re.Match[str], optional: int, definitions: list[Definition]) -> Template:
    if match["parts"] is not None:
        parts = tuple(p.strip(" {},") for p in match["parts"].replace("{,", ",{").split(",") if p.strip(" {},"))
        template = Template(parts[0], "address", optional)
        template.parts = parts
        template.bits = 32 if parts[0].endswith(("taddr", "-tmem", "leId")) else 0
    elif match["list"] is not None:
        template = Template(match["list"], "returns" if match["list"].startswith("ret") else "arguments", optional)
    elif match["elements"] is not None:
        elements = tuple(e.strip() for e in match["elements"].split(","))
        template = Template(elements[0], "read", optional)
        template.elements = elements
        template.vector = True
    else:
        template = Template(match["name"], "sink" if match["name"] == "_" else "read", optional)
    template.negatable = match["not"] is not None
    template.minus = match["minus"] is not None
    name = match["selected"] or match["suffix"]
    if name is not None:
        known = next((d for d in definitions if name in d.names), None)
        if known is None:
            template.suffix = name
        else:
            template.selectors = tuple(known.choices)
            template.selected = match["selected"] is not None
    return template
