"""Opt-in lints: unused declarations, unreachable code, deprecated instructions."""

from __future__ import annotations

from openptx.check.flow.reads_writes import names_in
from openptx.check.names.linkage import symbols
from openptx.check.names.scopes import Registers
from openptx.isa.notation import resolve
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.directives import Alias
from openptx.syntax.tree import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.check.flow.cfg import ControlFlowGraph
    from openptx.check.function_findings import FunctionFindings
    from openptx.check.names.body import ResolvedBody
    from openptx.check.names.scopes import Scope
    from openptx.isa.notation.gates import Version
    from openptx.source import Span
    from openptx.syntax import operands as text
    from openptx.syntax.tree import Instruction, Statement

DEPRECATED = {"vote": "9.7.13.8", "shfl": "9.7.9.5"}
"""Instructions that are deprecated without `.sync`, and their sections."""
_DEPRECATED_SINCE = 6, 0


class UsedNames:
    """What a file uses: names of the module, and declarations in functions by position."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.places: set[int] = set()

    def note(self, tree: text.Operand, scope: Scope) -> None:
        """Records the names in an operand."""
        for name in names_in(tree):
            self.name(name.text, scope)

    def name(self, name: str, scope: Scope) -> None:
        """Records one name."""
        found = scope.find(name)
        if found is not None:
            self.places.add(found[0].span[0])
        else:
            self.names.add(name)


def warn_unused(body: ResolvedBody, used: UsedNames, findings: FunctionFindings) -> None:
    """The declarations of a body that it never names."""
    for scope in body.scopes:
        seen: set[Span] = set()
        for name, meaning in (*scope.names.items(), *scope.ranges.items()):
            if scope is body.header and name in body.parameters:
                continue
            if meaning.span[0] not in used.places and meaning.span not in seen:
                seen.add(meaning.span)
                shown = f"{name}<{meaning.count}>" if isinstance(meaning, Registers) and meaning.count else name
                findings.add("unused", f"nothing uses `{shown}`", meaning.span, "declared only here")


def unused_in_module(items: Sequence[Statement], scope: Scope, used: UsedNames, findings: FunctionFindings) -> None:
    """Variables and functions that are local to this file and that it never names."""
    variables = [item for item in items if isinstance(item, Declaration)]
    functions = [item for item in items if isinstance(item, Function)]
    names = used.names | {item.aliasee.text for item in items if isinstance(item, Alias)}
    for declaration in variables:
        for declarator in declaration.names:
            names.update(address.name.text for address in symbols(declarator.initialiser))
    for declaration in variables:
        for declarator in declaration.names:
            place = scope.names.get(declarator.name.text)
            named = place is not None and place.span[0] in used.places
            if not declaration.linkage and not named and declarator.name.text not in names:
                findings.add(
                    "unused", f"nothing uses `{declarator.name.text}`", declarator.name.span, "declared only here"
                )
    for function in functions:
        if function.kind == "func" and not function.linkage and function.name.text not in names:
            findings.add("unused", f"nothing calls `{function.name.text}`", function.name.span, "declared only here")


def unreachable(graph: ControlFlowGraph, findings: FunctionFindings) -> None:
    """The first statement of each unreachable run of statements."""
    reached = graph.reachable_steps()
    for number, step in enumerate(graph.steps):
        if number in reached or (number and number - 1 not in reached):
            continue
        end = next((n for n in range(number, len(graph.steps)) if n in reached), len(graph.steps))
        findings.add(
            "unreachable", f"no path reaches this{_and_following(end - number - 1)}", step.instruction.span,
            "never executed",
            rule="PTX ISA, Control Flow Instructions (9.7.12)",
        )  # fmt: skip


def _and_following(count: int) -> str:
    return f" and the {f'{count} statements' if count > 1 else 'statement'} after it" if count else ""


def warn_deprecated(instruction: Instruction, version: Version, findings: FunctionFindings) -> None:
    """An instruction that the document has replaced."""
    mnemonic, _, tail = instruction.opcode.partition(".")
    if mnemonic not in DEPRECATED or version < _DEPRECATED_SINCE or tail.startswith("sync"):
        return
    fixed = f"{mnemonic}.sync.{tail}"
    findings.add(
        "deprecated", f"`{mnemonic}` without `.sync` is deprecated since PTX ISA 6.0", instruction.opcode_span,
        "sm_70 and later lack it",
        expected=fixed, actual=instruction.opcode, rule=f"PTX ISA, {mnemonic} ({DEPRECATED[mnemonic]})",
        help=f"write `{fixed}`, with a mask of lanes as its last operand" if resolve(fixed) else None,
    )  # fmt: skip
