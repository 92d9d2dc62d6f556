# SPDX-License-Identifier: MIT OR Apache-2.0
"""What an answer says, without its layout: the same content on a terminal and on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    title: str
    #: Figures are aligned to the right.
    is_number: bool = False
    #: The most characters of a cell on a terminal; the rest is cut.
    widest: int | None = None


def text(title: str, widest: int | None = None) -> Column:
    """A column of words."""
    return Column(title, widest=widest)


def figure(title: str) -> Column:
    """A column of figures."""
    return Column(title, is_number=True)


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    words: str


@dataclass(frozen=True)
class Table:
    """Rows of cells."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Level:
    """A level of a series, from one of its values to before another."""

    start: int
    end: int
    value_us: float


@dataclass(frozen=True)
class SeriesChart:
    """Times build by build, and the levels that they keep. Pages only; on a terminal the words next to it suffice."""

    title: str
    labels: Sequence[str]
    values_us: Sequence[float]
    levels: Sequence[Level] = ()
    #: The middle four fifths of the boots of each build.
    bands_us: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class BarChart:
    """Times, the longest of which sets the scale. Pages only, instead of the table before it."""

    rows: Sequence[tuple[str, float, str]]


Block = Paragraph | Table | SeriesChart | BarChart


@dataclass(frozen=True)
class Section:
    """A part of the answer, with its own title."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Document:
    """An answer: first the sentence that says it."""

    title: str
    sentence: str
    sections: Sequence[Section] = field(default_factory=tuple)
    #: What to know before trusting the figures.
    notes: Sequence[str] = field(default_factory=tuple)
