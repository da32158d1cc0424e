"""LLVM's NVPTX back end, through llvmlite."""

from __future__ import annotations

import functools

import llvmlite.binding as llvm

TRIPLE = "nvptx64-nvidia-cuda"


@functools.cache
def _ready() -> llvm.Target:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE)


def version() -> str:
    return "LLVM " + ".".join(map(str, llvm.llvm_version_info))


def nvptx(ir: str, target: str, options: tuple[str, ...] = (), *, optimise: bool = True) -> str:
    """PTX of textual IR; an option such as "+ptx71" chooses the PTX version."""
    machine = _ready().create_target_machine(cpu=target, features=",".join(options), opt=2)
    module = llvm.parse_assembly(ir)
    module.triple = TRIPLE
    module.data_layout = str(machine.target_data)
    module.verify()
    if optimise:
        tuning = llvm.create_pipeline_tuning_options(speed_level=2)
        llvm.create_pass_builder(machine, tuning).getModulePassManager().run(
            module, llvm.create_pass_builder(machine, tuning)
        )
    return machine.emit_assembly(module)
