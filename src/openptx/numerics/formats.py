"""Number formats: one row each, and everything else about a format follows from its row."""

from __future__ import annotations

IEEE = "ieee"  # exponent all ones: infinity, and NaN for every other mantissa
ALL_ONES = "all ones"  # only the code with exponent and mantissa all ones is NaN
NONE = "none"


class Format:
    """A binary floating-point format.

    Codes are integers below `1 << width`; in a register a code takes `storage` bits, left-aligned by `low` zero bits.
    """

    __slots__ = (
        "bias",
        "emin",
        "exp",
        "gradual",
        "hidden",
        "inf",
        "infinity",
        "largest",
        "low",
        "magnitude",
        "man",
        "name",
        "nan",
        "nans",
        "sign",
        "signed",
        "storage",
        "width",
    )

    def __init__(
        self,
        name: str,
        exp: int,
        man: int,
        bias: int,
        inf: bool,
        nans: str,
        signed: bool,
        nan: int | None,
        low: int = 0,
    ) -> None:
        self.name = name
        self.exp, self.man, self.bias = exp, man, bias
        self.inf, self.nans, self.signed = inf, nans, signed
        self.nan = nan  # the canonical NaN: what an operation gives that has no NaN operand to hand on
        self.low = low
        self.width = signed + exp + man
        self.storage = next(w for w in (8, 16, 32, 64) if w >= self.width + low)
        self.gradual = (
            man > 0
        )  # has zero and subnormals; without a mantissa (ue8m0) code 0 is the smallest power of two
        self.hidden = 1 << man
        self.magnitude = (1 << exp + man) - 1
        self.sign = 1 << exp + man if signed else 0
        self.emin = 1 - bias if self.gradual else -bias  # exponent of the smallest normal number
        self.infinity = self.magnitude - self.hidden + 1 if nans == IEEE else None
        self.largest = self.magnitude - {IEEE: self.hidden, ALL_ONES: 1, NONE: 0}[nans]

    @property
    def emax(self) -> int:
        """The exponent of the largest finite number."""
        return (self.largest >> self.man) - self.bias

    def __repr__(self) -> str:
        return f"<Format {self.name}>"


# fmt: off
_ROWS = (
    #       name  exp  man  bias    inf   NaN codes  signed   canonical NaN
    Format("f16",   5,  10,   15,  True,  IEEE,      True,    0x7FFF),
    Format("bf16",  8,   7,  127,  True,  IEEE,      True,    0x7FFF),
    Format("tf32",  8,  10,  127,  True,  IEEE,      True,    0x3FFFF, low=13),
    Format("f32",   8,  23,  127,  True,  IEEE,      True,    0x7FFFFFFF),
    Format("f64",  11,  52, 1023,  True,  IEEE,      True,    0xFFF8000000000000),
    Format("e4m3",  4,   3,    7,  False, ALL_ONES,  True,    0x7F),
    Format("e5m2",  5,   2,   15,  True,  IEEE,      True,    0x7F),
    Format("e2m3",  2,   3,    1,  False, NONE,      True,    None),
    Format("e3m2",  3,   2,    3,  False, NONE,      True,    None),
    Format("e2m1",  2,   1,    1,  False, NONE,      True,    None),
    Format("ue8m0", 8,   0,  127,  False, ALL_ONES,  False,   0xFF),
    Format("ue4m3", 4,   3,    7,  False, ALL_ONES,  False,   0x7F),
)
# fmt: on


class Fixed:
    """A fixed-point format: two's complement in units of 2^-fraction."""

    __slots__ = ("fraction", "name", "storage", "width")

    def __init__(self, name: str, width: int, fraction: int) -> None:
        self.name, self.width, self.fraction, self.storage = name, width, fraction, width

    def __repr__(self) -> str:
        return f"<Fixed {self.name}>"


S2F6 = Fixed("s2f6", 8, 6)  # fixed-point-data-format: 127/64 down to -2, no infinity and no NaN

FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}
F16, BF16, TF32, F32, F64 = (FORMATS[name] for name in ("f16", "bf16", "tf32", "f32", "f64"))
E4M3, E5M2, E2M3, E3M2, E2M1 = (FORMATS[name] for name in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1"))
UE8M0, UE4M3 = FORMATS["ue8m0"], FORMATS["ue4m3"]
