# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a store holds."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from .answer import Answer, named
from .document import Block, Document, Section, Table, figure, text
from .figures import count, number
from .selection import Selection
from .store import Store


@dataclass(frozen=True)
class ClockBoots:
    """The boots of one clock."""

    clock: str
    boots: int
    usable: int
    panicked: int
    boards: int
    builds: int
    devices: int
    first_start: datetime.datetime | None
    last_start: datetime.datetime | None


@dataclass(frozen=True)
class ProblemBoots:
    """The boots of one board that are unusable for the same reason."""

    board: str | None
    problem: str
    boots: int


@dataclass(frozen=True)
class Overview(Answer):
    """What a store holds, by clock: figures of different clocks are never pooled."""

    QUESTION = "overview"
    clocks: list[ClockBoots]
    problems: list[ProblemBoots]

    def document(self) -> Document:
        boots, usable = sum(c.boots for c in self.clocks), sum(c.usable for c in self.clocks)
        blocks: list[Block] = []
        if self.clocks:
            columns = [text("clock"), figure("boots"), figure("usable"), figure("panicked"), figure("boards"), figure("builds")]
            columns += [figure("devices"), text("first"), text("last")]
            rows = [
                [
                    c.clock,
                    number(c.boots),
                    number(c.usable),
                    number(c.panicked),
                    number(c.boards),
                    number(c.builds),
                    number(c.devices),
                    day(c.first_start),
                    day(c.last_start),
                ]
                for c in self.clocks
            ]
            blocks.append(Table(columns, rows))
        sections = [Section("Boots by the clock that timed them", blocks)] if blocks else []
        if self.problems:
            problems = [[named(p.board), number(p.boots), p.problem] for p in self.problems]
            sections.append(Section("Boots that can't be used", [Table([text("board"), figure("boots"), text("why")], problems)]))
        sentence = f"{count(boots, 'boot')}, {number(usable)} of them usable." if boots else "No boots."
        return Document("What the store holds", sentence, sections)


def day(instant: datetime.datetime | None) -> str:
    return "" if instant is None else instant.strftime("%Y-%m-%d")


def overview(store: Store, selection: Selection, most: int) -> Overview:
    """Asks a store what it holds."""
    clocks = [ClockBoots(**row) for row in store.ask("overview", **selection.parameters())]
    problems = [ProblemBoots(**row) for row in store.ask("problems", most=most, **selection.parameters())]
    return Overview(clocks, problems)
