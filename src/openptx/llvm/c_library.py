"""Compiles by another build of LLVM, its C library, which the environment variable OPENPTX_LLVM names.

llvmlite's wheels contain an LLVM that checks its own assertions, which is 40 % of the time that it takes. Distributions
build the same release without (`libLLVM.so.22.1`), and the code that it makes is the same.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_void_p
from typing import Any, Literal

import llvmlite.binding as llvm

from openptx.errors import Bug, InputError
from openptx.llvm.host import host

VARIABLE = "OPENPTX_LLVM"

TARGETS = {"x86_64": "X86", "amd64": "X86", "aarch64": "AArch64", "arm64": "AArch64"}
"""LLVM's names of processors, by Python's."""

STATIC, PIC = 1, 2
SMALL, JIT = 3, 1
"""LLVM's numbers of relocation models, and of code models."""

OBJECT_FILE, RETURN_STATUS = 1, 2

# fmt: off
#  function without its prefix LLVM            result     arguments
FUNCTIONS: tuple[tuple[str, Any, list[Any]], ...] = (
    ("GetVersion",                            None,      [POINTER(c_uint)] * 3),
    ("ParseCommandLineOptions",               None,      [c_int, POINTER(c_char_p), c_char_p]),
    ("ContextCreate",                         c_void_p,  []),
    ("ContextDispose",                        None,      [c_void_p]),
    ("CreateMemoryBufferWithMemoryRangeCopy", c_void_p,  [c_char_p, c_size_t, c_char_p]),
    ("ParseIRInContext",                      c_int,     [c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p)]),
    ("VerifyModule",                          c_int,     [c_void_p, c_int, POINTER(c_void_p)]),
    ("DisposeModule",                         None,      [c_void_p]),
    ("DisposeMessage",                        None,      [c_void_p]),
    ("GetTargetFromTriple",                   c_int,     [c_char_p, POINTER(c_void_p), POINTER(c_void_p)]),
    ("CreateTargetMachine",                   c_void_p,  [c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_int, c_int]),
    ("CreatePassBuilderOptions",              c_void_p,  []),
    ("DisposePassBuilderOptions",             None,      [c_void_p]),
    ("RunPasses",                             c_void_p,  [c_void_p, c_char_p, c_void_p, c_void_p]),
    ("GetErrorMessage",                       c_void_p,  [c_void_p]),
    ("DisposeErrorMessage",                   None,      [c_void_p]),
    ("TargetMachineEmitToMemoryBuffer",       c_int,     [c_void_p, c_void_p, c_int, POINTER(c_void_p),
                                                          POINTER(c_void_p)]),
    ("GetBufferStart",                        c_void_p,  [c_void_p]),
    ("GetBufferSize",                         c_size_t,  [c_void_p]),
    ("DisposeMemoryBuffer",                   None,      [c_void_p]),
)
# fmt: on


def library_path() -> str:
    """The library's path, or "" for llvmlite's LLVM."""
    return os.environ.get(VARIABLE, "")


def identity() -> str:
    """What tells this library from others: its path, size and time; a name that the system's linker looks up as it
    is."""
    path = library_path()
    try:
        status = os.stat(path)
        return f"{path} {status.st_size} {status.st_mtime_ns}"
    except OSError:
        return path


class CLibrary:
    """The library at a path; InputError if it cannot be used."""

    def __init__(self, path: str) -> None:
        try:
            loaded = ctypes.CDLL(path)
            for name, result, arguments in FUNCTIONS:
                function = getattr(loaded, f"LLVM{name}")
                function.restype, function.argtypes = result, arguments
            for part in ("TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"):
                getattr(loaded, f"LLVMInitialize{TARGETS[platform.machine().lower()]}{part}")()
        except (OSError, AttributeError, KeyError) as error:
            raise InputError(f"{VARIABLE} names no library of LLVM for this processor: {error}") from None
        self._llvm = loaded
        version = [c_uint() for _ in range(3)]
        loaded.LLVMGetVersion(*map(byref, version))
        self.version = tuple(part.value for part in version)
        if self.version[:2] != tuple(llvm.llvm_version_info[:2]):
            raise InputError(
                f"{VARIABLE} names LLVM {dotted(self.version)}; it must be of llvmlite's release, "
                f"{dotted(llvm.llvm_version_info)}"
            )
        self._machines: dict[int, int] = {}

    def set_options(self, *options: str) -> None:
        words = (c_char_p * (len(options) + 1))(b"openptx", *(option.encode() for option in options))
        self._llvm.LLVMParseCommandLineOptions(len(words), words, None)

    def machine(self, effort: Literal[0, 2]) -> int:
        """LLVM's target machine for this processor, see `codegen.machine`."""
        if effort not in self._machines:
            triple, target, said = llvm.get_default_triple().encode(), c_void_p(), c_void_p()
            if self._llvm.LLVMGetTargetFromTriple(triple, byref(target), byref(said)):
                raise Bug(self.take_message(said))
            model = (PIC, SMALL) if sys.platform == "linux" else (STATIC, JIT)
            cpu = host().name.encode(), host().features.encode()
            self._machines[effort] = self._llvm.LLVMCreateTargetMachine(target, triple, *cpu, effort, *model)
        return self._machines[effort]

    def compile(self, passes: str, effort: Literal[0, 2], text: str) -> bytes:
        """The object file of LLVM text. `passes`: in the notation of `opt -passes`."""
        call, encoded = self._llvm, text.encode()
        context, module, said, made = call.LLVMContextCreate(), c_void_p(), c_void_p(), c_void_p()
        options = call.LLVMCreatePassBuilderOptions()
        try:
            source = call.LLVMCreateMemoryBufferWithMemoryRangeCopy(encoded, len(encoded), b"<string>")
            self.require(not call.LLVMParseIRInContext(context, source, byref(module), byref(said)), said)
            self.require(not call.LLVMVerifyModule(module, RETURN_STATUS, byref(said)), said)
            call.LLVMDisposeMessage(said)  # an empty one
            said = c_void_p()
            machine = self.machine(effort)
            if error := call.LLVMRunPasses(module, passes.encode(), machine, options):
                raise Bug(f"LLVM's passes: {self.error_text(error)}")
            failed = call.LLVMTargetMachineEmitToMemoryBuffer(machine, module, OBJECT_FILE, byref(said), byref(made))
            self.require(not failed, said)
            return ctypes.string_at(call.LLVMGetBufferStart(made), call.LLVMGetBufferSize(made))
        finally:
            call.LLVMDisposePassBuilderOptions(options)
            if made:
                call.LLVMDisposeMemoryBuffer(made)
            if module:
                call.LLVMDisposeModule(module)
            call.LLVMContextDispose(context)

    def require(self, fine: bool, said: c_void_p) -> None:
        if not fine:
            raise Bug(f"the code generator made a module that LLVM rejects: {self.take_message(said)}")

    def take_message(self, said: c_void_p) -> str:
        """A message of LLVM's, which is freed."""
        text = ctypes.string_at(said).decode(errors="replace") if said else ""
        self._llvm.LLVMDisposeMessage(said)
        return text

    def error_text(self, error: int) -> str:
        """The text of an error object, which is freed."""
        message = self._llvm.LLVMGetErrorMessage(error)
        text = ctypes.string_at(message).decode(errors="replace")
        self._llvm.LLVMDisposeErrorMessage(message)
        return text


def dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
