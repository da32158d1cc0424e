"""Number formats: one row each, the source of all facts about a format in `isa/types.py`, `cvt`, arrays and documents.

docs/add-a-format.md shows how to add one.
"""

from __future__ import annotations

IEEE = "ieee"  # exponent all ones: infinity, and NaN for every other mantissa
ALL_ONES = "all ones"  # only the code with exponent and mantissa all ones is NaN
NONE = "none"


class Format:
    """A binary floating-point format.

    Codes are integers below `1 << width`; in a register a code occupies `storage` bits, left-aligned by `low` zero
    bits, and `field` bits in a packed register. `packed` lists the numbers of elements of its packed forms, `modifiers`
    those that a `cvt` to it may carry besides a rounding (`sat`, `relu`, `satfinite`; `integral`: it may be rounded to
    integers in place). `dtype` names its dtype in NumPy or ml_dtypes; None: codes travel as unsigned integers.
    """

    __slots__ = (
        "bias",
        "dtype",
        "emin",
        "exp",
        "field",
        "gradual",
        "hidden",
        "inf",
        "infinity",
        "largest",
        "low",
        "magnitude",
        "man",
        "modifiers",
        "name",
        "nan",
        "nans",
        "packed",
        "sign",
        "signed",
        "storage",
        "width",
    )

    def __init__(
        self, name: str, exp: int, man: int, bias: int, nans: str, signed: bool, packed: tuple[int, ...],
        modifiers: str, dtype: str | None, *, nan: int | None = None, low: int = 0,
    ) -> None:  # fmt: skip
        self.name = name
        self.exp, self.man, self.bias = exp, man, bias
        self.inf, self.nans, self.signed = nans == IEEE, nans, signed
        self.packed, self.modifiers, self.dtype = packed, frozenset(modifiers.split()), dtype
        self.low = low
        self.width = signed + exp + man
        self.storage = next(w for w in (8, 16, 32, 64) if w >= self.width + low)
        self.field = 4 if self.width == 4 else self.storage
        # Whether it has zero and subnormals; without a mantissa (ue8m0) code 0 is the smallest power of two.
        self.gradual = man > 0
        self.hidden = 1 << man
        self.magnitude = (1 << exp + man) - 1
        # The canonical NaN: the result of an operation that has no NaN operand to propagate.
        self.nan = None if nans == NONE else nan or self.magnitude
        self.sign = 1 << exp + man if signed else 0
        self.emin = 1 - bias if self.gradual else -bias  # exponent of the smallest normal number
        self.infinity = self.magnitude - self.hidden + 1 if nans == IEEE else None
        self.largest = self.magnitude - {IEEE: self.hidden, ALL_ONES: 1, NONE: 0}[nans]

    @property
    def emax(self) -> int:
        """The exponent of the largest finite number."""
        return (self.largest >> self.man) - self.bias

    @property
    def always_saturates(self) -> bool:
        """Whether every `cvt` to it has `.satfinite`."""
        return self.storage == 8 and self.name not in ("ue8m0", "ue5m3")

    def __repr__(self) -> str:
        return f"<Format {self.name}>"


class Fixed:
    """A fixed-point format: two's complement in units of 2^-fraction. Other fields as in `Format`."""

    __slots__ = ("dtype", "field", "fraction", "modifiers", "name", "packed", "storage", "width")
    always_saturates = True

    def __init__(self, name: str, width: int, fraction: int, packed: tuple[int, ...], modifiers: str) -> None:
        self.name, self.width, self.fraction, self.storage, self.field = name, width, fraction, width, width
        self.packed, self.modifiers, self.dtype = packed, frozenset(modifiers.split()), None

    def __repr__(self) -> str:
        return f"<Fixed {self.name}>"


# fmt: off
_ROWS = (
    #       name  exp  man  bias  NaN codes  signed  packed  modifiers of cvt               dtype
    Format("f16",   5,  10,   15, IEEE,      True,   (2,),   "sat relu satfinite integral", "float16"),
    Format("f32",   8,  23,  127, IEEE,      True,   (2,),   "sat integral",                "float32"),
    Format("f64",  11,  52, 1023, IEEE,      True,   (),     "sat integral",                "float64", nan=0xFFF8<<48),
    Format("bf16",  8,   7,  127, IEEE,      True,   (2,),   "relu satfinite integral",     "bfloat16"),
    Format("tf32",  8,  10,  127, IEEE,      True,   (),     "relu satfinite",              None, low=13),
    Format("e4m3",  4,   3,    7, ALL_ONES,  True,   (2, 4), "relu satfinite",              "float8_e4m3fn"),
    Format("e5m2",  5,   2,   15, IEEE,      True,   (2, 4), "relu satfinite",              "float8_e5m2"),
    Format("e2m3",  2,   3,    1, NONE,      True,   (2, 4), "relu satfinite",              "float6_e2m3fn"),
    Format("e3m2",  3,   2,    3, NONE,      True,   (2, 4), "relu satfinite",              "float6_e3m2fn"),
    Format("e2m1",  2,   1,    1, NONE,      True,   (2, 4), "relu satfinite",              "float4_e2m1fn"),
    Format("ue8m0", 8,   0,  127, ALL_ONES,  False,  (2,),   "satfinite",                   "float8_e8m0fnu"),
    Format("ue4m3", 4,   3,    7, ALL_ONES,  False,  (),     "satfinite",                   None),
    Format("ue5m3", 5,   3,   15, ALL_ONES,  False,  (2,),   "satfinite",                   None),  # cuda_fp8.h
)
S2F6 = Fixed("s2f6", 8, 6, (2,), "relu satfinite")  # fixed-point-data-format: -2 to 127/64, no infinity, no NaN
# fmt: on

FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}
F16, BF16, TF32, F32, F64 = (FORMATS[name] for name in ("f16", "bf16", "tf32", "f32", "f64"))
E4M3, E5M2, E2M3, E3M2, E2M1 = (FORMATS[name] for name in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1"))
UE8M0, UE4M3 = FORMATS["ue8m0"], FORMATS["ue4m3"]
