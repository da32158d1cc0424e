"""Checks one function body: the fast path first, then the full checker on what the fast path does not accept."""

from __future__ import annotations

from openptx.check.checked_function import CheckedFunction
from openptx.check.fast import FastPath
from openptx.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.function_checker import FunctionChecker
    from openptx.check.module import ModuleChecker
    from openptx.check.names.scopes import Scope
    from openptx.syntax.tree import Function
else:
    FunctionChecker = late("openptx.check.function_checker", "FunctionChecker")


def check_body(module: ModuleChecker, function: Function, header: Scope) -> None:
    """Check the body of a function, whose parameters `header` declares. Findings go to the collector of the module."""
    plain = function.body is not None and not function.broken and module.debug_info.plain(function.body)
    if not plain or not module.tree.plain or module.thorough:
        FunctionChecker(CheckedFunction(module, function, header)).check()
        return
    bodies, room = module.memo.bodies, module.memo.room
    key = bodies.key(module, function, header)
    if key is not None and bodies.accepts(key, module):
        return
    checked = CheckedFunction(module, function, header)
    path = FastPath(checked)
    accepted = path.accepts()
    places = path.places() if accepted else None
    if places or not accepted:
        FunctionChecker(checked).check(places, path.early if accepted else None)
    elif key is not None:
        bodies.accept(key, room - module.memo.room)
