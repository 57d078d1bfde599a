"""Exact resource quantities."""

from fractions import Fraction

_SUFFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
}


def parse(text):
    """The value of a quantity such as 100m, 1.5Gi or 2e3 as an exact fraction."""
    text = str(text).strip()
    digits = len(text)
    while digits > 0 and not (text[digits - 1].isdigit() or text[digits - 1] == "."):
        digits -= 1
    number, suffix = text[:digits], text[digits:]
    if suffix not in _SUFFIXES or not number:
        raise ValueError(f"not a quantity: {text!r}")
    return Fraction(number) * _SUFFIXES[suffix]
