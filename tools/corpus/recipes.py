"""The recipes of the corpus: source, compiler, target and options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from compilers import nvidia
from compilers.python import python_source

BASE = ("-diag-suppress=177,550,186", "--device-int128")
RELOCATABLE = "--relocatable-device-code=true"
EVERY_TARGET = ("sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a")

# fmt: off
#   source of tests/corpus    targets                                  options
FEATURES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "tensor_cores.cu":        (("sm_80", "sm_89", "sm_90a", "sm_120a"),("",)),
    "hopper.cu":              (("sm_90a", "sm_100a", "sm_103a"),       ("", "-lineinfo")),
    "blackwell.cu":           (("sm_100a", "sm_103a"),                 ("", "-G")),
    "memory_model.cu":        (("sm_80", "sm_90a", "sm_100a", "sm_120a"),("",)),
    "texture_features.cu":    (("sm_75", "sm_90a", "sm_120a"),         ("", "-G")),
    "cooperative_groups.cu":  (("sm_75", "sm_80", "sm_90a"),           ("",)),
    "libcudacxx.cu":          (("sm_75", "sm_80", "sm_90a"),           ("",)),
    "small_floats.cu":        (("sm_80", "sm_89", "sm_90a", "sm_100a"),("", "--use_fast_math")),
    "scalars.cu":             (("sm_75", "sm_80", "sm_90a", "sm_100a"),("",)),
    "linkage.cu":             (("sm_75", "sm_80", "sm_100a"),          (RELOCATABLE, f"{RELOCATABLE} -G")),
    "block_algorithms.cu":    (("sm_80", "sm_100a"),                   ("",)),
}
#   options for every source of tests/kernels, beside plain code for EVERY_TARGET
STYLES = (
    ("sm_80",   "-G"),
    ("sm_90a",  "-lineinfo"),
    ("sm_75",   "--use_fast_math"),
    ("sm_100a", RELOCATABLE),
)
#   what the compiler cannot: cp.async before Ampere; dp4a in debug code ("unsupported operation")
IMPOSSIBLE = {
    ("pipelines", "sm_75"), ("bits", "sm_80", "-G"), ("matrices", "sm_80", "-G"), ("reductions", "sm_80", "-G"),
}
NVCC = (
    ("sm_75",   ""),
    ("sm_80",   "-O0"),
    ("sm_90a",  "-lineinfo"),
    ("sm_80",   "-rdc=true"),
)
#   processors and PTX versions of LLVM's back end
LLVM = (
    ("sm_60",   "+ptx60"),
    ("sm_70",   "+ptx63"),
    ("sm_75",   "+ptx65"),
    ("sm_80",   "+ptx71"),
    ("sm_86",   "+ptx74"),
    ("sm_89",   "+ptx78"),
    ("sm_90",   "+ptx80"),
    ("sm_90a",  "+ptx83"),
    ("sm_100a", "+ptx86"),
    ("sm_120a", "+ptx87"),
    ("sm_103a", "+ptx88"),
)
#   options of GCC's back end
GCC = (
    ("sm_30", "-Os"),
    ("sm_35", "-O2"),
    ("sm_53", "-O0"),
    ("sm_75", "-O2 -g"),
    ("sm_80", "-O3"),
)
#   Triton: kernel and targets, then its arguments' types and its constants
TRITON = {
    "flash_attention":     ("sm_80", "sm_90", "sm_100"),
    "fp8_matmul":          ("sm_89", "sm_90", "sm_100"),
    "scaled_matmul":       ("sm_80", "sm_90", "sm_100", "sm_120"),
    "descriptor_matmul":   ("sm_80", "sm_90", "sm_100"),
    "layer_norm_gradient": ("sm_80", "sm_90", "sm_100"),
    "dropout":             ("sm_80", "sm_100"),
    "recurrence":          ("sm_80", "sm_90"),
    "conversions":         ("sm_89", "sm_90", "sm_100"),
}
TRITON_TYPES = {
    "flash_attention":     "*fp16 *fp16 *fp16 *fp16 i32 i32 fp32",
    "fp8_matmul":          "*fp8e4nv *fp8e4nv *bf16 i32 i32 i32 fp32",
    "scaled_matmul":       "*fp8e5 *u8 *fp8e5 *u8 *fp32 i32 i32",
    "descriptor_matmul":   "*fp16 *fp16 *fp16 i32 i32 i32",
    "layer_norm_gradient": "*fp16 *fp16 *fp16 *fp32 *fp32 *fp32 *fp32 *i32 i32",
    "dropout":             "*fp32 *fp32 i32 fp32 i32",
    "recurrence":          "*fp32 *fp32 *fp32",
    "conversions":         "*fp32 *fp16 *bf16 *fp8e4nv *fp8e5 *i8 i32",
}
TRITON_CONSTANTS = {
    "flash_attention":     {"BM": 64, "BN": 32, "D": 64, "CAUSAL": True},
    "fp8_matmul":          {"BM": 64, "BN": 64, "BK": 64},
    "scaled_matmul":       {"BM": 128, "BN": 128, "BK": 128},
    "descriptor_matmul":   {"BM": 128, "BN": 64, "BK": 64},
    "layer_norm_gradient": {"GROUP": 8, "BLOCK": 256},
    "dropout":             {"BLOCK": 512},
    "recurrence":          {"BLOCK": 512},
    "conversions":         {"BLOCK": 256},
}
# fmt: on

# fmt: off
SUBSET = (
    "nvrtc_tensor_cores_sm_80", "nvrtc_tensor_cores_sm_120a", "nvrtc_hopper_sm_90a", "nvrtc_blackwell_sm_100a",
    "nvrtc_memory_model_sm_90a", "nvrtc_texture_features_sm_75", "nvrtc_cooperative_groups_sm_80",
    "nvrtc_scalars_sm_80", "nvrtc_linkage_sm_75_rdc", "nvrtc_small_floats_sm_100a", "nvrtc_libcudacxx_sm_90a",
    "nvrtc_calls_sm_80_debug", "nvrtc_mathematics_sm_75_fast", "nvrtc_synchronisation_sm_90a_lineinfo",
    "nvrtc_hashes_sm_103a", "nvrtc_output_sm_120a", "nvrtc_atomics_sm_100a_rdc", "nvrtc_hopper_sm_100a_lineinfo",
    "nvcc_linkage_sm_80_rdc", "nvcc_control_sm_80_O0", "nvcc_sorts_sm_75", "nvcc_texture_features_sm_90a_lineinfo",
    "triton_flash_attention_sm_80", "triton_flash_attention_sm_90", "triton_scaled_matmul_sm_100",
    "triton_fp8_matmul_sm_89", "triton_descriptor_matmul_sm_90", "triton_layer_norm_gradient_sm_80",
    "triton_conversions_sm_100", "llvm_intrinsics_sm_60_ptx60", "llvm_intrinsics_sm_90a_ptx83",
    "llvm_intrinsics_sm_103a_ptx88", "gcc_offloading_sm_30_Os", "gcc_offloading_sm_75_O2_g",
    "llvm_llvm_kernels_sm_75_ptx65", "numba_waves_sm_80", "numba_shared_reverse_sm_90_debug",
)
# fmt: on
"""What the repository carries, under 2 MB in all: each compiler, each generation, each style."""


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    compiler: str
    source: Path
    target: str
    options: str
    kernel: str = ""  # Triton's and numba's: one function a file


def recipes(root: Path) -> Iterator[Recipe]:
    """Every recipe, in an order that does not change."""
    kernels, features = root / "tests/kernels/sources", root / "tests/corpus/sources"
    yield from _nvrtc(kernels, features)
    yield from _nvcc(kernels, features)
    yield from _open_compilers(kernels, features)
    yield from _triton(features / "triton_networks.py")
    yield from _numba(kernels / "numba_kernels.py")


def _nvrtc(kernels: Path, features: Path) -> Iterator[Recipe]:
    for source in sorted(kernels.glob("*.cu")):
        for target, options in (*((target, "") for target in EVERY_TARGET), *STYLES):
            if (source.stem, target, options) not in IMPOSSIBLE and (source.stem, target) not in IMPOSSIBLE:
                yield _cuda("nvrtc", source, target, options)
    for name, (targets, styles) in FEATURES.items():
        for target in targets:
            for options in styles:
                yield _cuda("nvrtc", features / name, target, options)


def _nvcc(kernels: Path, features: Path) -> Iterator[Recipe]:
    for stem in ("sorts", "control", "calls", "halves", "synchronisation", "output"):
        for target, options in NVCC:
            yield _cuda("nvcc", kernels / f"{stem}.cu", target, options)
    for target, options in NVCC[1:]:
        yield _cuda("nvcc", features / "texture_features.cu", target, options)
    yield _cuda("nvcc", features / "linkage.cu", "sm_80", "-rdc=true")
    yield _cuda("nvcc", features / "cooperative_groups.cu", "sm_90a", "-rdc=true")
    for target, options in (("sm_90a", ""), ("sm_80", "-lineinfo")):
        yield _cuda("nvcc", features / "device_algorithms.cu", target, options)


def _open_compilers(kernels: Path, features: Path) -> Iterator[Recipe]:
    for source in (kernels / "llvm_kernels.ll", features / "intrinsics.ll"):
        for target, version in LLVM:
            for options in (version, f"{version} O0"):
                yield Recipe(_name("llvm", source.stem, target, options), "llvm", source, target, options)
    for target, options in GCC:
        source = features / "offloading.c"
        yield Recipe(_name("gcc", source.stem, target, options), "gcc", source, target, options)


def _triton(source: Path) -> Iterator[Recipe]:
    for kernel, targets in TRITON.items():
        for target in targets:
            yield Recipe(_name("triton", kernel, target, ""), "triton", source, target, "", kernel)


def _numba(source: Path) -> Iterator[Recipe]:
    builds = ("sm_75", ""), ("sm_80", ""), ("sm_90", "debug"), ("sm_80", "fastmath"), ("sm_90", "lineinfo")
    for kernel in NUMBA:
        for target, options in builds:
            yield Recipe(_name("numba", kernel, target, options), "numba", source, target, options, kernel)


NUMBA = {
    "axpy": "f8 f8[:] f8[:]",
    "waves": "f4[:] f4[:]",
    "shared_reverse": "i4[:] i4[:]",
    "bin_counts": "i4[:] i4[:]",
    "warp_total": "f8[:] f8[:]",
    "collatz_steps": "i8[:] i8[:]",
}
"""numba's kernels and the types of their arguments; `f8[:]` is an array whose stride is not known."""


def compile_recipe(recipe: Recipe) -> str:
    """PTX text. Raises CompileError where the compiler refuses."""
    options = tuple(recipe.options.split())
    if recipe.compiler in ("nvrtc", "nvcc"):
        text, name = recipe.source.read_text(), recipe.source.name
        if recipe.compiler == "nvrtc":
            return nvidia.nvrtc(text, recipe.target, (*BASE, *options), name=name)
        return nvidia.nvcc(text, recipe.target, ("-diag-suppress=177,550,186", *options), name=name)
    if recipe.compiler == "llvm":
        from compilers import llvm

        flags = tuple(o for o in options if o.startswith("+"))
        return llvm.nvptx(recipe.source.read_text(), recipe.target, flags, optimise="O0" not in options)
    if recipe.compiler == "gcc":
        from compilers import gcc

        return gcc.nvptx(recipe.source.read_text(), recipe.target, options)
    function = getattr(python_source(recipe.source), recipe.kernel)
    if recipe.compiler == "triton":
        from compilers import triton

        types, constants = TRITON_TYPES[recipe.kernel].split(), TRITON_CONSTANTS[recipe.kernel]
        names = [n for n in function.arg_names if n not in constants]
        signature = dict(zip(names, types, strict=True))
        return triton.compile_kernel(function, signature, constants, recipe.target).ptx
    from compilers import numba

    return numba.compile_signature(function, NUMBA[recipe.kernel], recipe.target, dict.fromkeys(options, True))


def _cuda(compiler: str, source: Path, target: str, options: str) -> Recipe:
    return Recipe(_name(compiler, source.stem, target, options), compiler, source, target, options)


def _name(compiler: str, stem: str, target: str, options: str) -> str:
    words = {"-G": "debug", "--use_fast_math": "fast", RELOCATABLE: "rdc", "-rdc=true": "rdc"}
    marks = [words.get(o, o.lstrip("-+").replace("=", "_")) for o in options.split()]
    return "_".join([compiler, stem, target, *marks])
