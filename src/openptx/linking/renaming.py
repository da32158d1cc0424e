"""The renamings by which one module can be joined with the others: static names, numbers of files."""

from __future__ import annotations

import re

from openptx.linking.linked_file import Edit
from openptx.linking.modules import Module, Name
from openptx.syntax.directives import Location, Section, SourceFile
from openptx.syntax.lexical import WORD

_LABEL = re.compile(rf"^[ \t]*({WORD})[ \t]*:", re.M | re.A)


class Renaming:
    """Names and numbers used by the previous modules."""

    def __init__(self, modules: list[Module]) -> None:
        self.texts = [module.file.text for module in modules]
        external = {text for module in modules for text, name in module.names.items() if name.external}
        self.taken: dict[str, Name | None] = dict.fromkeys(external)
        self.files: dict[str, int] = {}
        self.labels: set[str] = set()

    def edits(self, module: Module) -> list[Edit]:
        """The edits of a module, which must be computed after those of the previous ones."""
        found: list[Edit] = []
        for text, name in module.names.items():
            if name.external:
                continue
            if text in self.taken and not self._same_dynamic(name, self.taken[text]):
                fresh = self._fresh(text)
                self.taken[fresh] = name
                found += [(*span, fresh) for span in module.references(text)]
            else:
                self.taken[text] = name
        numbers = self._files(module, found)
        labels = self._strings(module, found)
        if numbers or labels:
            for statement in module.checker.tree.walk():
                if isinstance(statement, Location):
                    found += _location(statement, numbers, labels)
        return found

    def _same_dynamic(self, name: Name, other: Name | None) -> bool:
        """Whether both names are dynamic shared memory, declared alike, so that one file may contain both."""
        if other is None or not (name.dynamic and other.dynamic):
            return False
        return name.statement.text.split() == other.statement.text.split()

    def _fresh(self, text: str) -> str:
        number = 1
        while any(f"{text}${number}" in other for other in (*self.texts, *self.taken)):
            number += 1
        return f"{text}${number}"

    def _files(self, module: Module, found: list[Edit]) -> dict[int, int]:
        """New numbers of source files. Each file is named once."""
        numbers: dict[int, int] = {}
        for item in module.items:
            if isinstance(item, SourceFile):
                path = item.path.value
                known = path in self.files
                number = numbers[item.index] = self.files.setdefault(path, len(self.files) + 1)
                found.append((*item.span, "") if known else (*item.values[0].span, str(number)))
        return {old: new for old, new in numbers.items() if old != new}

    def _strings(self, module: Module, found: list[Edit]) -> dict[str, str]:
        """New labels of the strings of debug information, from which `.loc` takes the names of inlined functions.

        Drops the other sections of debug information, each of which describes only one module.
        """
        labels: dict[str, str] = {}
        for item in module.items:
            if isinstance(item, Section) and item.section == ".debug_str":
                for match in _LABEL.finditer(item.file.text, *item.body):
                    if match[1] in self.labels:
                        labels[match[1]] = self._fresh(match[1])
                        found.append((*match.span(1), labels[match[1]]))
                    self.labels.add(labels.get(match[1], match[1]))
            elif isinstance(item, Section):
                found.append((*item.span, ""))
        return labels


def _location(statement: Location, numbers: dict[int, int], labels: dict[str, str]) -> list[Edit]:
    files = [values[0] for values in (statement.values, statement.inlined_at) if values]
    found: list[Edit] = [(*file.span, str(numbers[file.value])) for file in files if file.value in numbers]
    name = statement.function_name
    if name is not None and name.text in labels:
        found.append((*name.span, labels[name.text]))
    return found
