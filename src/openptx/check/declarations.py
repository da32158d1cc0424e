"""Checks declarations (manual 5.4): where they stand, their types, sizes, alignments and initial values."""

from __future__ import annotations

from openptx.check.names import Memory
from openptx.check.reading import variable
from openptx.check.scopes import Registers, Scope
from openptx.diagnostics import Diagnostic, Label
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.module import ModuleChecker
    from openptx.source import Span
    from openptx.syntax import tree
    from openptx.syntax.declarations import Declarator
    from openptx.syntax.declarations import Variable as Declaration


class Declarations:
    """Declares names and judges how they are declared."""

    def __init__(self, module: ModuleChecker) -> None:
        self.module = module

    def module_level(self, declaration: Declaration) -> None:
        """A variable outside of functions."""
        for declarator in declaration.names:
            self._declare(declaration, declarator, self.module.scope, declaration.space)

    def parameter(self, declaration: Declaration, function: tree.Function, scope: Scope) -> None:
        """A parameter or a return of a function."""
        for declarator in declaration.names:
            if declarator.name.text != "_":
                space = "param" if function.kind == "entry" else "frame"
                self._declare(declaration, declarator, scope, "reg" if declaration.space == "reg" else space)

    def local(self, declaration: Declaration, function: tree.Function, scope: Scope) -> None:
        """A declaration in a body."""
        for declarator in declaration.names:
            space = "frame" if declaration.space == "param" else declaration.space
            self._declare(declaration, declarator, scope, space)

    def _declare(self, declaration: Declaration, declarator: Declarator, scope: Scope, space: str) -> None:
        if declaration.type not in TYPES:
            return
        name = declarator.name.text
        count = declarator.count.value if declarator.count is not None else None
        if name in scope.names or name in scope.ranges:
            self._duplicate(name, declarator, scope)
        if space == "reg":
            scope.declare(name, Registers(TYPES[declaration.type], declaration.vector or 1, count, declarator.name.span))
            return
        from openptx.check.layout import element_bytes, shape_of

        shape = shape_of(declarator)
        type = TYPES[declaration.type]
        element = element_bytes(type) * (declaration.vector or 1)
        size = element
        for length in shape:
            size *= length
        align = declaration.align.value if declaration.align is not None else element
        text = f"a `.{'param' if space == 'frame' else space}` variable"
        kind = variable(declaration.type, space, size, align, shape, declaration.vector or 1, text)
        for i in [""] if count is None else range(count):
            scope.declare(f"{name}{i}", Memory(kind, declarator.name.span, declaration.type_span))

    def _duplicate(self, name: str, declarator: Declarator, scope: Scope) -> None:
        found = scope.names.get(name) or scope.ranges[name]
        if scope.names.get(name) is not None or declarator.count is not None:
            self.add(
                "duplicate-name", f"`{name}` is declared twice here", declarator.name.span,
                labels=(Label(found.span, "first declared here"),),
            )  # fmt: skip

    def add(self, about: str, message: str, span: Span, label: str = "", **facts: object) -> None:
        """Collect a finding."""
        self.module.collector.add(Diagnostic(about, message, self.module.file, span, label, **facts))  # pyright: ignore
