# SPDX-License-Identifier: MIT OR Apache-2.0
"""The parts on which the fleet spends most time."""

from __future__ import annotations

from dataclasses import dataclass

from .answer import Answer, named, part_words
from .document import BarChart, Document, Section, Table, figure, text
from .figures import long_time, number, seconds
from .selection import Selection
from .store import Store


@dataclass(frozen=True)
class SlowPart:
    """A part of the boots of one board, by one clock, without waits for the console."""

    board: str | None
    clock: str
    kind: str
    name: str
    #: Boots that have it.
    boots: int
    median_us: float
    p90_us: float
    #: The sum over all boots; includes what is nested in it.
    total_us: int


@dataclass(frozen=True)
class Slowest(Answer):
    """The slowest parts, by the time that all boots spend in them."""

    QUESTION = "slowest"
    parts: list[SlowPart]

    def document(self) -> Document:
        if not self.parts:
            return Document("The slowest parts", self.sentence())
        return Document("The slowest parts", self.sentence(), [Section("", [self.table()])], [NOTE])

    def sentence(self) -> str:
        """The slowest one."""
        if not self.parts:
            return "No boot shows initcalls, probes or units."
        worst = self.parts[0]
        return (
            f"{named(worst.board)}: {part_words(worst.kind, worst.name)} takes most time: {long_time(worst.total_us)} in all boots, "
            f"{seconds(worst.median_us)} s in the median."
        )

    def table(self, most: int | None = None) -> Table:
        """The parts as a table."""
        columns = [text("board"), text("part"), text("clock"), figure("boots"), figure("median [s]"), figure("90 % [s]"), figure("total")]
        return Table(
            columns,
            [
                [
                    named(p.board),
                    part_words(p.kind, p.name),
                    p.clock,
                    number(p.boots),
                    seconds(p.median_us),
                    seconds(p.p90_us),
                    long_time(p.total_us),
                ]
                for p in self.parts[:most]
            ],
        )

    def bars(self, most: int) -> BarChart:
        """The parts as a chart."""
        return BarChart(
            [
                (f"{named(p.board)}: {part_words(p.kind, p.name)} ({p.clock} clock)", float(p.total_us), long_time(p.total_us))
                for p in self.parts[:most]
            ]
        )


NOTE = "Times are without waits for the console, and include what is nested in a part, so that they don't add up."


def slowest(store: Store, selection: Selection, kind: str | None, most: int) -> Slowest:
    """Asks a store for its slowest parts."""
    return Slowest([SlowPart(**row) for row in store.ask("slowest", kind=kind, most=most, **selection.parameters())])
