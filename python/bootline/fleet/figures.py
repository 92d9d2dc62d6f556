# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figures as words: seconds with as many digits as they deserve, shares, probabilities."""

from __future__ import annotations

#: A time below this is shown to the microsecond.
FINE_US = 10_000


def seconds(us: float) -> str:
    """A time, as in every report of bootline.

    >>> seconds(3_461_358)
    '3.461'
    >>> seconds(1_234)
    '0.001234'
    """
    sign = "-" if us < 0 else ""
    size = abs(us)
    return f"{sign}{size / 1e6:.6f}" if 0 < size < FINE_US else f"{sign}{size / 1e6:.3f}"


def signed(us: float) -> str:
    """A difference.

    >>> signed(170_000), signed(-2_500)
    ('+0.170', '-0.002500')
    """
    return f"+{seconds(us)}" if us >= 0 else seconds(us)


def between(low_us: float, high_us: float) -> str:
    """Two bounds, with the digits that the greater one deserves.

    >>> between(110_000, 230_000), between(-1_000, 230_000)
    ('+0.110..+0.230', '-0.001..+0.230')
    """
    if max(abs(low_us), abs(high_us)) < FINE_US:
        return f"{signed(low_us)}..{signed(high_us)}"
    return f"{low_us / 1e6:+.3f}..{high_us / 1e6:+.3f}"


def long_time(us: float) -> str:
    """The time of many boots, with its unit.

    >>> long_time(59_000_000), long_time(5_400_000_000), long_time(500_000_000_000)
    ('59 s', '90 min', '139 h')
    """
    s = us / 1e6
    if s < 10:
        return f"{seconds(us)} s"
    if s < 600:
        return f"{s:.0f} s"
    if s < 10 * 3600:
        return f"{s / 60:.0f} min"
    return f"{number(round(s / 3600))} h"


def percent(part: float, whole: float) -> str:
    """A share; empty of nothing.

    >>> percent(88, 100), percent(1, 300), percent(1, 0)
    ('88 %', '0.3 %', '')
    """
    if not whole:
        return ""
    share = 100 * part / whole
    return f"{share:.1f} %" if abs(share) < 9.95 else f"{share:.0f} %"


def signed_percent(part: float, whole: float) -> str:
    """A relative change.

    >>> signed_percent(5, 100)
    '+5.0 %'
    """
    text = percent(part, whole)
    return f"+{text}" if text and part >= 0 else text


def count(n: int, noun: str, nouns: str | None = None) -> str:
    """A number of things.

    >>> count(1, "boot"), count(12_000, "boot"), count(2, "series", "series")
    ('1 boot', '12 000 boots', '2 series')
    """
    return f"{number(n)} {noun if n == 1 else nouns or noun + 's'}"


def number(n: int) -> str:
    """A number with its thousands apart.

    >>> number(1_000_000)
    '1 000 000'
    """
    return f"{n:,}".replace(",", " ")


def chance(p: float) -> str:
    """A p value.

    >>> chance(0.04), chance(0.0000001)
    ('0.04', '< 0.0001')
    """
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}" if p >= 0.001 else f"{p:.4f}"
