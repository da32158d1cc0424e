"""Compiled routines for the products of tensor cores, shared by both engines. Start with routine.py."""
