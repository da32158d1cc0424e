"""Loaded modules and their kernels: the results of `openptx.load`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from openptx.api import file_to_load
from openptx.api import require_options as require_target
from openptx.check import lower, resolve
from openptx.device.allocation import Bytes
from openptx.device.arrays import array_of
from openptx.device.image import Image
from openptx.device.memory import Memory
from openptx.device.nested_launches import LAUNCH, NestedLaunch, NestedLaunches
from openptx.device.textures.handles import Opaque
from openptx.engines.common.engine import Engine, PreparedLaunch, import_engine, why_interp
from openptx.errors import ArgumentError, CheckError, Fault, Triple, is_choice, require_choice, require_flags
from openptx.float_environment import in_standard_floats
from openptx.garbage import uncollected
from openptx.keywords import hints
from openptx.launch_options import OTHER_NAMES, require_options, require_shared, sequence_of
from openptx.linking import device_runtime, link_files
from openptx.program import Function, Program
from openptx.rewrite import CONTRACTIONS, contract_program
from openptx.runtime import notebook
from openptx.runtime.arguments import marshal
from openptx.runtime.cxx_names import demangled, find_kernel, unknown
from openptx.runtime.fidelity import Statement, Used, fidelity, require_meanings, statements
from openptx.runtime.options import Extent, check_shape, cluster_shape, extent, is_range, visible_cluster
from openptx.runtime.parameters import Packed, Parameter, parameters
from openptx.runtime.tools import run_debugged, run_sanitized
from openptx.source import File

Source = str | bytes | bytearray | os.PathLike[str] | File

ONE_TUPLE = "the kernel's arguments are one tuple: write `kernel(grid, block, (x, y))`, or `kernel[grid, block](x, y)`"
LAUNCHES_KEPT = 1024
"""The number of validated launches that a module remembers."""


class Handle:
    """What refers to memory of this process: a copy is the same object, and it cannot be pickled."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} cannot be pickled: its variables and arrays are memory of this process; hand over the PTX, and"
            " `openptx.load` it in the other one"
        )


class Kernel(Handle):
    """A kernel, called as in CuPy, `kernel(grid, block, args)`, or as in Numba, `kernel[grid, block](*args)`."""

    def __init__(self, module: LoadedModule, function: Function) -> None:
        self.module = module
        self.function = function
        self.name = function.name

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    def _repr_html_(self) -> str:
        return notebook.kernel(self.module.program, self.function)

    @hints(ONE_TUPLE, **OTHER_NAMES)
    def __call__(
        self, grid: Extent, block: Extent, args: Iterable[object] = (), *, shared_mem: int = 0,
        cluster: Extent | None = None, engine: str = "auto", workers: int | None = None, timeout: float | None = None,
        since: float | None = None, max_instructions: int | None = None, initcheck: bool = False,
        blocks: tuple[int, int] | None = None, sanitize: str | Sequence[str] | None = None, debug: bool = False,
    ) -> None:  # fmt: skip
        """Launches the kernel and waits for its end.

        grid, block, cluster  an integer or up to three, x first: the number of blocks in the grid, of threads in a
                              block, of blocks in a cluster
        args                  one argument for each parameter, in order: a number; for a pointer an array or a CPU
                              tensor of any shape (contiguous, written in place), or None; bytes for a structure
        shared_mem            bytes of dynamic shared memory per block
        engine                "auto": the interpreter until machine code is ready; "interp", "native": only one of them
        workers               the maximum number of threads of this computer that run blocks (default: measured)
        timeout               seconds after which the launch ends with a fault, counted from `since`, a time of
                              `time.monotonic()` (default: now); compiling counts, importing an engine does not
        max_instructions      the number of instructions after which the launch ends with a fault; one that several
                              threads execute together counts once. The launch runs on the interpreter
        initcheck             reads of registers and shared memory that were never written are faults; the launch
                              runs on the interpreter
        sanitize              "all", or some of "race", "init", "sync", "mem": findings of `openptx.sanitize` are errors
        debug                 run the launch under the debugger in the terminal (docs/debugger.md)
        blocks                (first, last): run only these blocks, by their linear number, excluding the last

        Raises ArgumentError for a launch that is not possible, Fault if the kernel faults or exceeds `timeout` or
        `max_instructions`, Unsupported for an instruction that cannot be executed yet, SanitizerError for findings of
        `sanitize`, KeyboardInterrupt if `quit` ends the debugger before the launch has ended.
        """
        require_options(shared_mem, workers, timeout, max_instructions, since)
        if initcheck is not False or debug is not False:
            require_flags(initcheck=initcheck, debug=debug)
        if sanitize is not None:
            run_sanitized(
                self, grid, block, args, sanitize, shared_mem=shared_mem, cluster=cluster, timeout=timeout,
                max_instructions=max_instructions,
            )  # fmt: skip
            return
        if debug:
            run_debugged(self, grid, block, args, shared_mem=shared_mem, cluster=cluster)
            return
        if since is None and timeout is not None:
            since = time.monotonic()
        prepared = self.prepare(grid, block, args, shared_mem, cluster, blocks)
        engine = "interp" if initcheck else engine
        launch, importing = import_engine(engine)
        since = since + importing if since is not None else None
        own = {"initcheck": initcheck} if engine == "interp" else {"workers": workers}
        waiting = self._run(prepared.within(timeout, max_instructions, since), launch, own)
        while waiting:  # the last is the next: a kernel may launch itself any number of times
            kernel, prepared = self.prepare_child(waiting.pop())
            waiting += kernel._run(prepared.within(timeout, max_instructions, since), launch, own)

    def prepare_child(self, child: NestedLaunch) -> tuple[Kernel, PreparedLaunch]:
        """The kernel of a launch that a thread of this one made, and what `prepare` gives for it."""
        kernel = self.module[child.kernel]
        return kernel, kernel.prepare(child.grid, child.block, (Packed(child.parameters),), child.shared)

    def _run(self, prepared: PreparedLaunch, launch: Engine, options: dict[str, Any]) -> list[NestedLaunch]:
        """Runs a launch. Gives the launches that its threads made, the first of them last."""
        nested = NestedLaunches() if LAUNCH in self.module.program.external else None
        prepared.memory.nested = nested
        if prepared.timeout is not None:
            prepared.require_time()
        try:
            launch(prepared, **options)
        except Fault as fault:
            raise fault from None
        return nested.in_order()[::-1] if nested is not None else []

    def launch_packed(self, grid: Extent, block: Extent, parameters: object, **options: Any) -> None:
        """Launches the kernel with its parameters as bytes, laid out as its `.param` list: `kernel.parameters`.

        `parameters` is any buffer, such as a `ctypes.Structure`. Pointers in it are device addresses
        (`openptx.memory`), which are checked where the kernel uses them. `options` are those of a call of the kernel,
        which raises the same; `shared=` is another name for `shared_mem=`, in bytes.

        Raises ArgumentError for bytes of another size.
        """
        if "shared" in options:
            options.setdefault("shared_mem", options.pop("shared"))
        self(grid, block, (Packed(parameters),), **options)

    @staticmethod
    def arrays(args: Iterable[object]) -> list[object]:
        """A launch's arguments, among which may be arrays; of packed parameters, those that they name."""
        return [a for each in args for a in (each.arrays if isinstance(each, Packed) else (each,))]

    @property
    def demangled(self) -> str:
        """The C++ name, `void matmul<16>(float const*, float*)`; other names unchanged."""
        return demangled(self.name)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Names, types, offsets, sizes and alignments in bytes, in text order."""
        return parameters(self.function)

    def fidelity(self) -> list[Statement]:
        """The fidelity of each statement that the kernel may execute: exact, bounded, modelled or unsupported.

        Functions that it may call are included. Instructions that ptxas contracts or folds are among the modelled
        statements.
        """
        return statements(self.module.program, (self.name,))

    @in_standard_floats
    def prepare(
        self, grid: Extent, block: Extent, args: Iterable[object], shared_mem: int = 0, cluster: Extent | None = None,
        blocks: tuple[int, int] | None = None,
    ) -> PreparedLaunch:  # fmt: skip
        """Checks the extents of a launch and converts its arguments, without running anything.

        Raises ArgumentError and Unsupported like a launch.
        """
        grid, block = extent("grid", grid), extent("block", block)
        module, shape = self.module, None
        key = (self.name, grid, block, shared_mem)
        if cluster is not None or type(shared_mem) is not int or key not in module.executable:
            require_shared(shared_mem)
            check_shape(module.program, self.function, block, shared_mem)
            shape = cluster_shape(self.function, grid, cluster)
            shape = shape and visible_cluster(module.program, self.function, shape)
            require_meanings(module.program, self.name)
            if shape is None and len(module.executable) < LAUNCHES_KEPT:
                module.executable.add(key)
        if blocks is not None and (shape or not is_range(blocks, grid[0] * grid[1] * grid[2])):
            raise ArgumentError(f"blocks {blocks} of a grid of {grid}, clusters {shape}, cannot be run alone")
        marshalled = marshal(self.function, sequence_of(args), module.image.memory)
        memory = module.image.map(marshalled.buffer, blocks is None)
        memory.pointers = partial(marshalled.pointers, self.function)
        return PreparedLaunch(
            module.program, self.function, module.image, grid, block, shape, shared_mem, memory, marshalled.kept, blocks
        )

    def why_interp(self, block: Extent) -> str | None:
        """Why launches with blocks of this extent run on the reference engine; None if the native engine takes them.

        Launches with clusters of several blocks or `max_instructions` always do. Each such launch is logged: logger
        `openptx`, INFO.
        """
        return why_interp(self.module.program, self.function, self.module.image, extent("block", block))

    def __getitem__(self, configuration: Any) -> ConfiguredKernel:
        """`kernel[grid, block]`, or with the bytes of dynamic shared memory: `kernel[grid, block, 0, 4096]`.

        Raises ArgumentError for any other number of items.
        """
        parts = cast("tuple[Any, ...]", configuration if isinstance(configuration, tuple) else (configuration,))
        if len(parts) not in (2, 3, 4):
            raise ArgumentError("write `kernel[grid, block]` or `kernel[grid, block, stream, shared]`")
        return ConfiguredKernel(self, parts[0], parts[1], parts[3] if len(parts) > 3 else 0)


class ConfiguredKernel:
    """A kernel with its grid and block: Numba's `kernel[grid, block]`."""

    def __init__(self, kernel: Kernel, grid: Extent, block: Extent, shared: int) -> None:
        self.kernel, self.grid, self.block, self.shared = kernel, grid, block, shared

    def __call__(self, *args: object) -> None:
        self.kernel(self.grid, self.block, args, shared_mem=self.shared)


class LoadedModule(Handle):
    """A loaded PTX module: `module["name"]` is a kernel, `for name in module` iterates over the names of kernels.

    The module's variables keep their values from launch to launch. Modules share one device memory; `memory` is a
    separate one.
    """

    def __init__(self, program: Program, memory: Memory | None = None) -> None:
        self.program = program
        self.image = Image(program, memory)
        self.executable: set[tuple[str, Triple, Triple, int]] = set()
        """Validated launches: kernels, extents without clusters, dynamic shared memory."""

    def __repr__(self) -> str:
        return f"<module {self.program.file.name}: {', '.join(self.kernels) or 'no kernels'}>"

    def _repr_html_(self) -> str:
        return notebook.module(self.program)

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels, in text order."""
        return self.program.kernels

    def get_function(self, name: str) -> Kernel:
        """The kernel called `name` in the PTX, or in C++: `matmul<16>`, `space::matmul<16>`, `matmul` if that is one.

        Raises ArgumentError if it does not exist, or if a C++ name is ambiguous.
        """
        kernels = self.program.kernels
        found = name if is_choice(name, kernels) else find_kernel(str(name), kernels)
        if found is None:
            raise ArgumentError(unknown("kernel", name, self.program.file.name, kernels))
        return Kernel(self, self.program.function(found))

    __getitem__ = get_function

    if not TYPE_CHECKING:  # a type checker reports the attribute itself

        def __getattr__(self, name: str) -> NoReturn:
            program = self.__dict__.get("program")
            hint = f'; a kernel is an item: `module["{name}"]`' if program and name in program.kernels else ""
            raise AttributeError(f"a loaded module has no attribute `{name}`{hint}", name=name, obj=self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.kernels)

    def __contains__(self, name: object) -> bool:
        """Whether the PTX has a kernel with this name."""
        return is_choice(name, self.kernels)

    def fidelity(self, kernel: str | None = None) -> list[Used]:
        """The fidelity of the instructions that a kernel, or all kernels, may execute; the least exact first.

        Raises ArgumentError for a kernel that does not exist.
        """
        return fidelity(self.program, self.kernels if kernel is None else (self.get_function(kernel).name,))

    def get_global(self, name: str) -> Bytes:
        """The bytes of a module-level `.global` or `.const` variable: a one-dimensional uint8 view of its memory.

        Writing to it sets the variable; `.view(numpy.float32)` gives elements. Raises ArgumentError for an unknown
        name.
        """
        names = [v.name for v in self.program.variables.values() if v.space in ("global", "const")]
        if not is_choice(name, names):
            raise ArgumentError(unknown("global variable", name, self.program.file.name, names))
        return self.image.bytes(name)

    def bind(self, name: str, image: object) -> None:
        """Binds a Texture, Sampler or Surface to a module-level `.texref`, `.tex`, `.samplerref` or `.surfref`.

        Raises ArgumentError for any other name, and for an object of another kind.
        """
        names = [v.name for v in self.program.variables.values() if v.type.kind == "opaque"]
        if not is_choice(name, names):
            raise ArgumentError(unknown("texture, sampler or surface", name, self.program.file.name, names))
        v = self.program.variables[name]
        if not isinstance(image, Opaque) or image.kind != v.type.name:
            raise ArgumentError(f"`{name}` is a `.{v.type.name}`, not {image!r}")
        self.image.bound[self.image.addresses[name]] = image

    def address(self, array: object) -> int:
        """The device address, in bytes, of a NumPy array or a CPU tensor, to be stored in memory as a pointer.

        The address stays the same as long as the array's memory lives; kernels may use it in every launch until then.
        Raises ArgumentError for objects that are not accepted as pointer arguments.
        """
        return self.image.memory.address(array_of("`address`", array)).base


@in_standard_floats
@hints(arch='write `target=`, such as "sm_90a"')
def load(
    source: Source | Sequence[Source], *, target: str | None = None, profile: str = "ptxas",
    contract: str | None = None,
) -> LoadedModule:  # fmt: skip
    """Loads a PTX module, or several that are linked, so that their kernels can be launched.

    `source` is a path or the text itself. A string of one line is a path if it ends in `.ptx` or names a file, as for
    `check`, or if it has no `.version`, because it would not contain anything to load. Bytes are text, as returned by
    NVRTC. A sequence of sources is linked first: see `openptx.link`. `target` replaces the target of the file
    (`"sm_90a"`), and `profile` is as for `check`.

    `contract` controls `mul` and `add` without a rounding modifier, which the document lets an assembler fuse: "ptxas"
    fuses them where NVIDIA's assembler does, and folds constants as it does; "off" rounds each operation. None is "off"
    in profile "isa", else "ptxas" (docs/decisions/contraction.md).

    Raises CheckError with all errors in the text, OSError for a path that cannot be read (FileNotFoundError, as `open`
    does), InputError if it is not text, or empty, ArgumentError for an unknown target, profile or contraction.
    """
    require_target(target, profile)
    if isinstance(source, memoryview):
        source = source.tobytes()
    if isinstance(source, Sequence) and not isinstance(source, (str, bytes, bytearray)):
        file: File = link_files([file_to_load(each, f"<string {i}>") for i, each in enumerate(source)], target, profile)
    else:
        file = file_to_load(source, "<string>")
        if device_runtime([file]):
            file = link_files([file], target, profile, complete=False)
    if contract is None:
        contract = "off" if profile == "isa" else "ptxas"
    require_choice("contraction", contract, CONTRACTIONS)
    with uncollected():
        module, found = resolve(file, target, profile)
        errors = [diagnostic for diagnostic in found if diagnostic.severity == "error"]
        if errors:
            raise CheckError(errors)
        program = lower(module)
    if contract == "ptxas":
        contract_program(program)
    return LoadedModule(program)
