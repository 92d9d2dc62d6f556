# SPDX-License-Identifier: MIT OR Apache-2.0
"""The compiled module: crates/bootline-python."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import final

__all__ = [
    "ChangePoint",
    "StoreBatch",
    "__version__",
    "change_points",
    "difference",
    "escaped",
    "false_discovery",
    "html_text",
    "p_value",
    "static_page",
    "unreadable_input",
]

__version__: str

@final
class ChangePoint:
    """A change of level in a series."""

    @property
    def index(self) -> int:
        """The first value of the new level."""

    @property
    def p(self) -> float:
        """How likely a series without a change has one like this anywhere."""

    @property
    def before(self) -> float:
        """The median up to the change before."""

    @property
    def after(self) -> float:
        """The new median, up to the next change."""

    @property
    def low(self) -> float:
        """The lower bound of the difference."""

    @property
    def difference(self) -> float:
        """By how much the values have grown."""

    @property
    def high(self) -> float:
        """The upper bound of the difference."""

    @property
    def confidence(self) -> float:
        """How likely such bounds contain the truth: 0.95, or less if there are too few values."""

def change_points(series: Sequence[Sequence[float]], *, p: float = 0.01, share: float = 0.01) -> list[list[ChangePoint]]:
    """The changes in each of many series, on all processors."""

def difference(a: Sequence[float], base: Sequence[float]) -> tuple[float, float, float, float]:
    """By how much the values of one set are greater than those of another: the lower bound, the difference of the medians, the upper
    bound, and the confidence of the interval."""

def p_value(a: Sequence[float], b: Sequence[float]) -> float:
    """How likely sets that don't differ are to be as far apart as these."""

def false_discovery(p: Sequence[float]) -> list[float]:
    """p values as they are when many were looked at (Benjamini and Hochberg)."""

def escaped(text: str) -> str:
    """Text made harmless for a terminal: controls and invisible characters shown by their codes."""

def html_text(text: str) -> str:
    """Text for an element's content or for an attribute in quotes: controls shown by their codes, markup as text."""

def static_page(title: str, style: str, body: str) -> str:
    """A page as all of bootline's: one file that loads nothing. The title is text, the body HTML."""

@final
class StoreBatch:
    """A batch of a store that other processes fill. Garbage, or an exit without a commit, leaves nothing of it."""

    def __new__(cls, store: str | PathLike[str]) -> StoreBatch: ...
    @property
    def folder(self) -> Path:
        """The folder that is filled: a folder per table, in it one per date as in the store."""

    def try_hold(self) -> list[str] | None:
        """Excludes all other writers; none while one of them has begun. Returns what was added since the batch was begun, as hashes."""

    def commit(self, inputs: Sequence[str]) -> None:
        """Makes the batch a part of the store, in one step. The inputs, as hashes, are those of its rows of `files`."""

    def close(self) -> None:
        """Gives the batch up, unless it was committed."""

def unreadable_input(path: str, problem: str) -> tuple[str, int]:
    """Identity of an input that can't be read: its hash, and `file_id`."""
