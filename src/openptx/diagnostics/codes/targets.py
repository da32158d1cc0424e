"""Codes 04xx: features that the file's header directives do not allow (PTX ISA, PTX Module Directives)."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX0401", "missing-version", """
        The file does not start with `.version`.

            .target sm_80
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { ret; }

        Rule: PTX ISA, .version (11.1.1)
        """),
    Code("PTX0402", "unknown-version", """
        A PTX version that does not exist, or is newer than this checker.

            .version 8.99
            .target sm_80
            .visible .entry k() { ret; }

        Instead:

            .version 8.8
            .target sm_80
            .visible .entry k() { ret; }

        Rule: PTX ISA, .version (11.1.1)
        """),
    Code("PTX0403", "missing-target", """
        No `.target` follows `.version`.

            .version 8.0
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { ret; }

        Rule: PTX ISA, .target (11.1.2)
        """),
    Code("PTX0404", "unknown-target", """
        A target that does not exist, or is newer than this checker.

            .version 8.0
            .target sm_81
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { ret; }

        Rule: PTX ISA, .target (11.1.2)
        """),
    Code("PTX0405", "target-needs-version", """
        The target was introduced by a later PTX version than the file's.

            .version 7.0
            .target sm_90
            .visible .entry k() { ret; }

        Instead:

            .version 7.8
            .target sm_90
            .visible .entry k() { ret; }

        Rule: PTX ISA, .target (11.1.2)
        """),
    Code("PTX0406", "target-conflict", """
        Targets or options of `.target` that exclude each other.

            .version 8.0
            .target sm_80, texmode_unified, texmode_independent
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80, texmode_independent
            .visible .entry k() { ret; }

        Rule: PTX ISA, .target (11.1.2)
        """),
    Code("PTX0407", "repeated-directive", """
        A module directive that may occur only once.

            .version 8.0
            .target sm_80
            .address_size 64
            .address_size 64
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .entry k() { ret; }

        Rule: PTX ISA, Module Directives (11.1)
        """),
    Code("PTX0408", "address-size", """
        An `.address_size` other than 32 or 64.

            .version 8.0
            .target sm_80
            .address_size 48
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .entry k() { ret; }

        Rule: PTX ISA, .address_size (11.1.3)
        """),
    Code("PTX0410", "needs-target", """
        An instruction, modifier, type or directive that the file's target does not support.

        Features of an architecture-specific target (sm_90a) exist on that target only. Those of a family-specific
        target (sm_100f) exist on later members of the family, too.

            .version 8.0
            .target sm_80
            .visible .entry k() { wgmma.fence.sync.aligned; ret; }

        Instead:

            .version 8.0
            .target sm_90a
            .visible .entry k() { wgmma.fence.sync.aligned; ret; }

        Rule: PTX ISA, Target ISA Notes of the instruction (9.7)
        """),
    Code("PTX0411", "needs-version", """
        An instruction, modifier, type or directive that is newer than the file's `.version`.

            .version 7.8
            .target sm_90
            .visible .entry k() { .reg .pred p; elect.sync _|p, -1; ret; }

        Instead:

            .version 8.0
            .target sm_90
            .visible .entry k() { .reg .pred p; elect.sync _|p, -1; ret; }

        Rule: PTX ISA, PTX ISA Notes of the instruction (9.7)
        """),
    Code("PTX0412", "removed", """
        An instruction, modifier or directive that this target or PTX version no longer has.

            .version 8.0
            .target sm_80
            .visible .entry k() { .reg .pred p; vote.all.pred p, p; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { .reg .pred p; vote.sync.all.pred p, p, -1; ret; }

        Rule: PTX ISA, Release Notes (13)
        """),
)  # fmt: skip
