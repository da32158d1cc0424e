"""Modules: PTX loaded into a context, with its kernels and variables."""

from __future__ import annotations

from openptx.device.allocation import Allocation
from openptx.device.memory import device
from openptx.driver.calls import Failure, in_context, put, put_int, put_size, text
from openptx.driver.devices.contexts import Context
from openptx.driver.modules.images import device_target, image_at, ptx_of, runs
from openptx.driver.modules.jit_options import JitOptions, refusal
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result
from openptx.errors import CheckError, InputError
from openptx.isa.targets import number_of, stated_target
from openptx.reading import content as content_of
from openptx.reading import open_regular
from openptx.runtime import LoadedModule, load
from openptx.runtime.module import Kernel
from openptx.source import File


class Function(Object):
    """A kernel of a module, for `CUfunction` and for `CUkernel`. `settings` are attributes that the program sets."""

    what = "function"

    def __init__(self, module: Module, kernel: Kernel) -> None:
        super().__init__()
        self.module, self.kernel = module, kernel
        self.parameters = [(p.offset, p.size) for p in kernel.parameters]
        self.size = kernel.function.parameter_size
        self.prints = "vprintf" in kernel.module.program.external
        self.settings: dict[int, int] = {}


class Module(Object):
    """A `CUmodule`, which belongs to a context, or a `CUlibrary`, which belongs to none."""

    what = "module"

    def __init__(self, loaded: LoadedModule) -> None:
        super().__init__()
        self.loaded = loaded
        self.context: Context | None = None
        self.functions: dict[str, Function] = {}
        self.references: dict[str, Object] = {}  # to textures and surfaces
        self._const: Allocation | None = None

    def function(self, name: str) -> Function:
        """A kernel by its name. Fails if there is none."""
        found = self.functions.get(name)
        if found is None:
            if name not in self.loaded:
                kernels = ", ".join(self.loaded.kernels) or "none"
                raise Failure(Result.NOT_FOUND, f"no kernel `{name}` in the module; its kernels: {kernels}", usual=True)
            found = self.functions[name] = driver().add(Function(self, self.loaded[name]))
        return found

    def variable(self, name: str) -> tuple[int, int]:
        """The address and the bytes of a `.global` or `.const` variable. Fails if there is none."""
        program, image = self.loaded.program, self.loaded.image
        found = program.variables.get(name)
        if found is None or found.space not in ("global", "const") or found.linkage == "extern":
            raise Failure(Result.NOT_FOUND, f"no variable `{name}` in the module", usual=True)
        if found.space == "global":
            return image.addresses[name], found.size
        if self._const is None:  # kernels access it in their window, the host needs a separate address
            self._const = device(64).add("constant memory", image.const)
        return self._const.base + image.addresses[name], found.size

    def end(self) -> None:
        """Ends the module: its handles become invalid."""
        for known in (self, *self.functions.values(), *self.references.values()):
            driver().remove(known)


OLDEST = 75
"""From this target on, newer devices support everything that PTX may contain; sm_70 removed instructions without
`.sync`."""


def load_module(source: str, options: JitOptions | None = None) -> Module:
    """PTX as a module. Fails for errors in it, which are also written to the options."""
    try:
        limited = source if options is None else options.limited(source)
        module = load(File("<module>", limited), target=compiled_for(limited))
    except CheckError as error:
        raise refusal(error, options, "the module cannot be loaded") from None
    target = str(module.program.target)
    if not runs(target, driver().capability):
        newer = number_of(target) > driver().capability
        why = "a newer one" if newer else "one of a kind that it is not"
        raise Failure(Result.NO_BINARY_FOR_GPU, f"the PTX is for {target}, and the device is {device_target()}: {why}")
    if options is not None:
        options.report("")
    return driver().add(Module(module))


def compiled_for(source: str) -> str | None:
    """The device's target if it is newer than the PTX's, as a driver compiles it; None to keep the PTX's."""
    stated = stated_capability(source)
    return device_target() if stated is not None and OLDEST <= stated < driver().capability else None


def stated_capability(source: str) -> int | None:
    """The number of the `.target`; None for those of a single architecture or family, `sm_90a`."""
    stated = stated_target(source)
    return stated.number if stated is not None and not stated.suffix else None


def load_into(context: Context, out: int, source: str, options: JitOptions | None = None) -> None:
    put(out, 0)
    made = load_module(source, options)
    made.context = context
    context.owned[made] = made.end
    put(out, made.handle)


@in_context("cuModuleLoadData")
def load_data(context: Context, out: int, image: int) -> None:
    load_into(context, out, image_at(image))


@in_context("cuModuleLoadDataEx")
def load_data_ex(context: Context, out: int, image: int, count: int, options: int, values: int) -> None:
    load_into(context, out, image_at(image), JitOptions(count, options, values))


@in_context("cuModuleLoadFatBinary")
def load_fat_binary(context: Context, out: int, image: int) -> None:
    load_into(context, out, image_at(image))


@in_context("cuModuleLoad")
def load_file(context: Context, out: int, path: int) -> None:
    load_into(context, out, ptx_of(content(text(path, "the path"))))


def content(path: str) -> bytes:
    """The content of a file that holds an image. Fails if it cannot be read."""
    try:
        with open_regular(path) as stream:
            return content_of(stream, path)
    except (OSError, InputError) as error:
        absent = isinstance(error, FileNotFoundError)  # programs look for kernels of an earlier run in this way
        raise Failure(Result.FILE_NOT_FOUND, f"{path}: {error}", usual=absent) from None


@in_context("cuModuleUnload")
def unload(context: Context, module: Module) -> None:
    context.owned.pop(module, None)
    module.end()


@in_context("cuModuleGetFunction")
def get_function(context: Context, out: int, module: Module, name: int) -> None:
    put(out, module.function(text(name, "the name")).handle)


@in_context("cuModuleGetFunctionCount")
def function_count(context: Context, out: int, module: Module) -> None:
    put_int(out, len(module.loaded.kernels))


@in_context("cuModuleEnumerateFunctions")
def enumerate_functions(context: Context, out: int, count: int, module: Module) -> None:
    for i, name in enumerate(module.loaded.kernels[:count]):
        put(out + 8 * i, module.function(name).handle)


@in_context("cuModuleGetGlobal_v2")
def get_global(context: Context, address: int, size: int, module: Module, name: int) -> None:
    where, count = module.variable(text(name, "the name"))
    put_size(address, where)
    put_size(size, count)


@in_context("cuModuleGetLoadingMode")
def loading_mode(context: Context, out: int) -> None:
    put_int(out, 1)  # CU_MODULE_EAGER_LOADING
