"""The information that both the fast path and the full checker need about the function whose body they check."""

from __future__ import annotations

from openptx.check.forms.verdicts import verdicts
from openptx.check.names.body import parameters_in_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.context import Context
    from openptx.check.module import ModuleChecker
    from openptx.check.names.scopes import Scope
    from openptx.syntax.tree import Function


class CheckedFunction:
    """A function that has a body, the module around it, and the scope that declares its parameters."""

    __slots__ = ("context", "header", "module", "own_parameters", "tree", "verdicts")

    def __init__(self, module: ModuleChecker, tree: Function, header: Scope) -> None:
        self.module = module
        self.tree = tree
        self.context: Context = module.context.inside(tree.kind == "entry")
        self.header = header
        self.verdicts = verdicts(self.context)
        self.own_parameters = parameters_in_body(tree, self.context.version)
