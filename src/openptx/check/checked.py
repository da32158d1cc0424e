"""What is checked: a module, and a function of it. They hold what the parts of the checker share."""

from __future__ import annotations

from functools import cached_property, partial

from openptx.check.context import Context
from openptx.check.debug_info import DebugInfo
from openptx.check.directive_availability import DirectiveAvailability
from openptx.check.forms.verdicts import verdicts
from openptx.check.header import Header
from openptx.check.names.body import ResolvedBody, declare_local, header_scope, parameters_in_body
from openptx.check.names.declarations import Declarations
from openptx.check.names.linkage import Linkage
from openptx.check.names.scopes import Scope
from openptx.diagnostics import Collector
from openptx.late import late
from openptx.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.accepted_bodies import AcceptedBodies
    from openptx.check.flow.lints import UsedNames
    from openptx.check.operand.kinds import Kind
    from openptx.check.spelling import Suggestions
    from openptx.source import File
else:
    UsedNames = late("openptx.check.flow.lints", "UsedNames")
    Suggestions = late("openptx.check.spelling", "Suggestions")

ON_DEMAND = frozenset(("unused", "unreachable", "deprecated", "uninitialized-register"))
"""Codes that are checked, or checked everywhere, only on demand: they need the full checker for every body."""


class CheckedModule:
    """A module, its names as far as they are declared, and the parts of the checker that collect its findings."""

    def __init__(
        self, module: tree.SyntaxTree, target: str | None, profile: str, selected: frozenset[str] = frozenset(), *,
        keep: bool = False, accepted: AcceptedBodies | None = None,
    ) -> None:  # fmt: skip
        self.tree = module
        self.profile = profile
        self.selected = selected  # names of codes that are checked only on demand
        self.collector = Collector()
        self.scope = Scope()
        self.functions: dict[str, Kind] = {}  # kinds of functions, from their first declaration on
        self.headers: dict[str, tree.Function] = {}
        self.keep = keep  # resolved bodies for lowering
        self.bodies: dict[tree.Function, ResolvedBody] = {}
        self.accepted = accepted  # None: bodies are not remembered
        self.header = Header(module, self.collector, target, profile == "ptxas")
        self.context = Context(
            self.header.version, self.header.target, profile, short_addresses=self.header.short_addresses,
            independent_textures=self.header.independent_textures,
        )  # fmt: skip
        self.debug_info = DebugInfo(module.file, self.collector, self.header.version)
        self.linkage = Linkage(self.collector, self.header.version)
        self.declarations = Declarations(module.file, self.collector, self.context, self.linkage)
        self.availability = DirectiveAvailability(module, self.context, self.collector, self.linkage)

    @property
    def thorough(self) -> bool:
        """Whether a code is selected that needs the full checker for every body."""
        return not self.selected.isdisjoint(ON_DEMAND)

    @cached_property
    def used(self) -> UsedNames:
        """What the file uses, if `unused` is selected."""
        return UsedNames()

    @cached_property
    def suggestions(self) -> Suggestions:
        """Candidates for what unknown names may have been meant as."""
        return Suggestions()

    @cached_property
    def function_names(self) -> set[str]:
        """The names of all functions of the file, declared so far or not."""
        return {each.name.text for each in self.tree.items if isinstance(each, tree.Function)}

    @property
    def file(self) -> File:
        """The file that is checked."""
        return self.tree.file

    def body(self, function: tree.Function) -> ResolvedBody:
        """The resolved body of a correct function: the one that the full checker kept, or else a new one."""
        known = self.bodies.pop(function, None)
        if known is not None:
            return known
        body = ResolvedBody(header_scope(function, self.scope), self.functions)
        own = parameters_in_body(function, self.context.version)
        for _ in body.walk(function.statements, body.header, partial(declare_local, own=own)):
            pass
        return body

    def kind(self, name: str, scope: Scope) -> Kind:
        """The kind of a plain name as an operand."""
        return scope.kind(name, self.functions)


class CheckedFunction:
    """A function that has a body, the module around it, and the scope that declares its parameters."""

    __slots__ = ("context", "header", "module", "own_parameters", "tree", "verdicts")

    def __init__(self, module: CheckedModule, tree: tree.Function, header: Scope) -> None:
        self.module = module
        self.tree = tree
        self.context: Context = module.context.inside(tree.kind == "entry")
        self.header = header
        self.verdicts = verdicts(self.context)
        self.own_parameters = parameters_in_body(tree, self.context.version)
