"""All rules, by their names: those that the modules of rules register."""

from __future__ import annotations

from mutants import directive_rules, exchange_rules, structure_rules
from mutants.file_rules import FILE_RULES
from mutants.statement_rules import STATEMENT_RULES

MODULES = (structure_rules, exchange_rules, directive_rules)
"""The modules that add rules to the two registries."""

__all__ = ["FILE_RULES", "STATEMENT_RULES"]
