# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which parts of a boot have changed their level, since which build."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from .. import stats
from .store import Row, Store

#: Fewer builds say nothing.
FEWEST_BUILDS = 6
#: Parts that changed with a boot changed at most so many builds from it: the place of a step in noise is known that well.
NEAR = 2


@dataclass(frozen=True)
class Point:
    """One build in a series."""

    build: str
    boots: int
    median_us: float


@dataclass(frozen=True)
class Series:
    """The medians of one part of the boots of one board, build by build. Those of different clocks are different series."""

    board: str | None
    clock: str
    kind: str
    name: str
    points: Sequence[Point]


@dataclass(frozen=True)
class Change:
    """A series that changed its level with a build."""

    series: Series
    #: Place of that build in the series.
    index: int
    before_us: float
    after_us: float
    #: By how much it has grown, with the bounds of the interval.
    low_us: float
    difference_us: float
    high_us: float
    #: How likely a series without a change has one like this anywhere.
    p: float
    #: Parts that changed with it.
    parts: tuple[Change, ...] = ()

    @property
    def since(self) -> str:
        """The build it came with."""
        return self.series.points[self.index].build

    @property
    def builds_ago(self) -> int:
        """How many builds there are since, with that one."""
        return len(self.series.points) - self.index


def series_of(rows: Iterable[Row]) -> list[Series]:
    """The series in the answer to the question `series`."""

    def key(row: Row) -> tuple[Any, ...]:
        return (row["board"] or "", row["board"] is not None, row["clock"], row["kind"], row["name"])

    found = []
    for (board, has_board, clock, kind, name), group in groupby(rows, key):
        points = tuple(Point(row["build"], row["boots"], row["median_us"]) for row in group)
        found.append(Series(board if has_board else None, clock, kind, name, points))
    return found


def changes(series: Sequence[Series], *, p: float = 0.01, share: float = 0.01, least_us: float = 1000) -> list[Change]:
    """All changes of at least a share of the level before and of `least_us`; the greatest growth comes first."""
    long = [one for one in series if len(one.points) >= FEWEST_BUILDS]
    found = stats.change_points([[point.median_us for point in one.points] for one in long], p=p, share=share)
    all_changes = [
        Change(one, c.index, c.before, c.after, c.low, c.difference, c.high, c.p)
        for one, points in zip(long, found, strict=True)
        for c in points
        if abs(c.after - c.before) >= least_us
    ]
    return sorted(all_changes, key=lambda change: -change.difference_us)


def with_parts(found: Sequence[Change]) -> list[Change]:
    """The changes of whole boots with those of their parts, then those of parts with which no boot changed."""
    boots = [change for change in found if change.series.kind == "boot"]
    parts = [change for change in found if change.series.kind != "boot"]
    told, taken = [], set[int]()
    for boot in boots:
        own = [part for part in parts if belongs(part, boot)]
        taken.update(id(part) for part in own)
        told.append(
            Change(
                boot.series, boot.index, boot.before_us, boot.after_us, boot.low_us, boot.difference_us, boot.high_us, boot.p, tuple(own)
            )
        )
    return told + [part for part in parts if id(part) not in taken]


def belongs(part: Change, boot: Change) -> bool:
    """Whether a part changed with a boot, and in the same direction."""
    if (part.series.board, part.series.clock) != (boot.series.board, boot.series.clock):
        return False
    if (part.difference_us > 0) != (boot.difference_us > 0):
        return False
    places = {point.build: place for place, point in enumerate(boot.series.points)}
    place = places.get(part.since)
    return place is not None and abs(place - boot.index) <= NEAR


def ask(store: Store, *, p: float, share: float, least_us: float, **parameters: Any) -> list[Change]:
    """The changes in a store."""
    rows = store.ask("series", least_us=least_us, **parameters)
    return with_parts(changes(series_of(rows), p=p, share=share, least_us=least_us))
