"""Modules and libraries: how the code that programs load becomes PTX, and linking."""
