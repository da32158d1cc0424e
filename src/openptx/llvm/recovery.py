"""Calls of LLVM that return when it aborts, as it does for a text for which it cannot select instructions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p
from operator import attrgetter
from typing import Any

import llvmlite.binding as llvm

RECOVERING = ctypes.CFUNCTYPE(c_void_p, c_void_p, *[c_void_p] * 5, POINTER(c_int))
"""The type of `openptx.recovering` (engines/native/rtlib/recovery.ll)."""


class Aborted(Exception):
    """LLVM has called abort(). What it had allocated is lost."""


Guard = Callable[..., Any]
"""Calls a function, its first argument, with at most five more arguments."""


def guard_at(address: int) -> Guard:
    """That of the function `openptx.recovering` at an address; raises `Aborted`."""
    recovering = RECOVERING(address)

    def guarded(function: Any, *arguments: Any) -> int | None:
        aborted = c_int()
        padded = (*arguments, *[None] * (5 - len(arguments)))
        result = recovering(ctypes.cast(function, c_void_p), *padded, byref(aborted))
        if aborted:
            raise Aborted
        return result

    return guarded


def emit_object(target: llvm.TargetMachine, module: llvm.ModuleRef, guard: Guard | None) -> bytes:
    """The object file of a module, like llvmlite's `emit_object`."""
    if guard is None:
        return target.emit_object(module)
    try:
        library = attrgetter("ffi.lib")(llvm)
        emit = attrgetter("LLVMPY_TargetMachineEmitToMemory._cfn")(library)
    except AttributeError:  # a later llvmlite; tests/unit/llvm/test_aborted_compile.py tells
        return target.emit_object(module)
    said = c_char_p()
    try:
        buffer = ctypes.cast(guard(emit, target, module, 1, byref(said)), emit.restype)
    except Aborted:
        module.detach()  # values that functions of LLVM had on the stack still refer to it
        raise
    if not buffer:
        raise RuntimeError((said.value or b"").decode(errors="replace"))
    try:
        return ctypes.string_at(library.LLVMPY_GetBufferStart(buffer), library.LLVMPY_GetBufferSize(buffer))
    finally:
        library.LLVMPY_DisposeMemoryBuffer(buffer)
