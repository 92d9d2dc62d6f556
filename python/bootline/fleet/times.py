# SPDX-License-Identifier: MIT OR Apache-2.0
"""How long boots, their stages and their phases take."""

from __future__ import annotations

from dataclasses import dataclass

from .answer import OF_BOOTS, Answer, named
from .document import BarChart, Block, Document, Section, Table, figure, text
from .figures import count, number, seconds
from .selection import Selection
from .store import Store


@dataclass(frozen=True)
class Times:
    """The distribution of one time over boots, in microseconds."""

    board: str | None
    #: None if builds are taken together.
    build: str | None
    clock: str
    #: `boot`, `stage` or `phase`.
    kind: str
    name: str
    boots: int
    least_us: float
    p10_us: float
    #: Bounds of the median: 95 %, from six boots on.
    median_low_us: float
    median_us: float
    median_high_us: float
    p90_us: float
    greatest_us: float


@dataclass(frozen=True)
class TimesAnswer(Answer):
    """Distributions by board and clock, and by build if asked."""

    QUESTION = "times"
    by_build: bool
    times: list[Times]

    def document(self) -> Document:
        boots = [t for t in self.times if t.kind == "boot"]
        sections = []
        for kind, title in (("boot", "Boots"), ("stage", "Stages"), ("phase", "Phases")):
            rows = [t for t in self.times if t.kind == kind]
            if rows:
                sections.append(Section(title, [self.table(rows)]))
        return Document("How long boots take", sentence(boots), sections, NOTES if self.times else ())

    def table(self, rows: list[Times]) -> Block:
        columns = [text("board"), *([text("build")] if self.by_build else []), text("time"), text("clock"), figure("boots")]
        columns += [figure("median [s]"), figure("95 % interval"), figure("10 %"), figure("90 %"), figure("longest")]
        return Table(
            columns,
            [
                [
                    named(t.board),
                    *([named(t.build)] if self.by_build else []),
                    OF_BOOTS.get(t.name, t.name),
                    t.clock,
                    number(t.boots),
                    seconds(t.median_us),
                    interval(t),
                    seconds(t.p10_us),
                    seconds(t.p90_us),
                    seconds(t.greatest_us),
                ]
                for t in rows
            ],
        )


NOTES = ("Quantiles are within 2 % (they come from mergeable sketches). Times of different clocks can't be compared.",)


def interval(t: Times) -> str:
    """Bounds that few boots can't give are not given."""
    return f"{seconds(t.median_low_us)}..{seconds(t.median_high_us)}" if t.boots >= 6 else ""


def sentence(boots: list[Times]) -> str:
    if not boots:
        return "No boots have times."
    n = sum(t.boots for t in boots)
    slowest = max(boots, key=lambda t: t.median_us)
    of = f" with build {slowest.build}" if slowest.build is not None else ""
    return (
        f"{count(n, 'boot time')}; the longest median: {seconds(slowest.median_us)} s, {OF_BOOTS.get(slowest.name, slowest.name)} "
        f"of {named(slowest.board)}{of} ({slowest.clock} clock)."
    )


def bars(times: list[Times]) -> BarChart:
    """The medians of boots, for a page."""
    return BarChart(
        [
            (f"{named(t.board)}, {OF_BOOTS.get(t.name, t.name)}, {t.clock} clock", t.median_us, f"{seconds(t.median_us)} s")
            for t in times
            if t.kind == "boot"
        ]
    )


def times(store: Store, selection: Selection, by_build: bool) -> TimesAnswer:
    """Asks a store how long boots take."""
    return TimesAnswer(by_build, [Times(**row) for row in store.ask("times", by_build=by_build, **selection.parameters())])
