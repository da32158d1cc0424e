"""Engines run Programs: each implements `isa.machine.Machine` and runs control flow."""
