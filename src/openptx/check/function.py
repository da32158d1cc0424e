"""Checks one function body: the fast path first, then the full checker on what the fast path does not accept."""

from __future__ import annotations

from openptx.check.checked_function import CheckedFunction
from openptx.check.fast import FastPath
from openptx.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.function_checker import FunctionChecker
else:
    FunctionChecker = late("openptx.check.function_checker", "FunctionChecker")


def check_body(checked: CheckedFunction) -> None:
    """Check the body of a function. Findings go to the collector of the module."""
    module, function = checked.module, checked.tree
    plain = function.body is not None and not function.broken and module.debug_info.plain(function.body)
    places = early = None
    if plain and module.tree.plain and not module.thorough:
        key, room = module.memo.bodies.key(checked), module.memo.room
        if key is not None and module.memo.bodies.accepts(key, module):
            return
        path = FastPath(checked)
        if path.accepts():
            places, early = path.places(), path.early
            if not places:
                if key is not None:
                    module.memo.bodies.accept(key, room - module.memo.room)
                return
    FunctionChecker(checked).check(places, early)
