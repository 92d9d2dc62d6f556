# SPDX-License-Identifier: MIT OR Apache-2.0
"""The medians of the parts of boots, build by build."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from .answer import GAP
from .store import Row


@dataclass(frozen=True)
class Point:
    """One build in a series."""

    build: str
    boots: int
    median_us: float


@dataclass(frozen=True)
class Series:
    """The medians of one part of the boots of one board, in the order of commits. Those of different clocks are different series."""

    board: str | None
    #: Tree, branch, configuration and compiler of the builds, as far as they are known.
    branch: str | None
    clock: str
    kind: str
    name: str
    points: Sequence[Point]

    def values(self) -> list[float]:
        """The medians, in microseconds."""
        return [point.median_us for point in self.points]


def key(row: Row) -> tuple[Any, ...]:
    """Whose boots they are: None is not the empty name."""
    return (row["board"], row["branch"], row["clock"])


def series_of(rows: Iterable[Row]) -> list[Series]:
    """The series in the rows of the question `series`.

    In a build whose boots show others of its kind, a part that is not there took no time."""
    found = []
    for (board, branch, clock), of_boots in groupby(rows, key):
        builds: dict[str, dict[int, Point]] = {}
        parts: dict[tuple[str, str], dict[int, Point]] = {}
        for row in of_boots:
            if row["name"] is None:
                builds.setdefault(row["kind"], {})[row["place"]] = Point(row["build"], row["boots"], 0.0)
            else:
                point = Point(row["build"], row["boots"], float(row["median_us"]))
                parts.setdefault((row["kind"], row["name"]), {})[row["place"]] = point
        for (kind, name), points in parts.items():
            # Of whole boots, those that ended in another way are no boots of no length.
            absent = {} if kind == "boot" else builds.get("boot" if kind == GAP else kind, {})
            merged = {**absent, **points}
            found.append(Series(board, branch, clock, kind, name, tuple(merged[place] for place in sorted(merged))))
    return found
