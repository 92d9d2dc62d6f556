# SPDX-License-Identifier: MIT OR Apache-2.0
"""Boots that took far longer than others of their board and build, and what took so long in them."""

from __future__ import annotations

import datetime
from collections import defaultdict
from dataclasses import dataclass

from .answer import TILES, Answer, named, part_words
from .document import Document, Section, Table, figure, text
from .figures import count, percent, seconds, signed
from .selection import Selection
from .store import Row, Store

#: Parts of each boot in the JSON.
MOST_PARTS = 10


@dataclass(frozen=True)
class LongerPart:
    """A part of an outlier that took longer than in the median of its build."""

    kind: str
    name: str
    us: int
    median_us: float

    @property
    def longer_us(self) -> float:
        """By how much."""
        return self.us - self.median_us


@dataclass(frozen=True)
class Outlier:
    """A boot that took far longer than others."""

    boot_id: int
    board: str | None
    build: str | None
    clock: str
    device: str | None
    lab: str | None
    job: str | None
    date: datetime.date
    #: The log that it was read from.
    path: str | None
    dur_us: int
    #: The median of its board and build, and of how many boots.
    median_us: int
    of_boots: int
    #: How much longer it waited for the console than the median did.
    console_longer_us: int
    #: What took longer, the most first.
    parts: list[LongerPart]

    @property
    def longer_us(self) -> int:
        """By how much it took longer."""
        return self.dur_us - self.median_us

    def cause(self) -> str:
        """What took longer, in words: the console, or the part that ran longest."""
        part = next((part for part in self.parts if part.kind not in TILES), None)
        candidates = [(float(self.console_longer_us), "waits for the console")]
        if part is not None:
            candidates.append((part.longer_us, part_words(part.kind, part.name)))
        longer, words = max(candidates)
        if longer <= 0:
            return "nothing that the log shows"
        share = f"{signed(longer)} s, {percent(min(longer, self.longer_us), self.longer_us)}"
        # What explains little is no cause.
        return f"{words} {share}" if longer >= self.longer_us / 3 else f"many parts, most of all {words} {share}"

    def where(self) -> str:
        """The stage or phase that took longer."""
        part = next((part for part in self.parts if part.kind in TILES), None)
        return "" if part is None else f"{part.kind} {part.name} {signed(part.longer_us)} s"


@dataclass(frozen=True)
class Outliers(Answer):
    """The boots that took far longer than others, the worst first."""

    QUESTION = "outliers"
    #: How many there are; the list may have fewer.
    found: int
    outliers: list[Outlier]

    def document(self) -> Document:
        if not self.outliers:
            return Document("Outliers", self.sentence(), (), [NOTE])
        return Document("Outliers", self.sentence(), [Section("", [self.table()])], [NOTE])

    def sentence(self) -> str:
        """The worst one."""
        if not self.outliers:
            return "No boot took far longer than others of its board and build."
        worst = self.outliers[0]
        return (
            f"{count(self.found, 'boot')} took far longer than others of the same board and build; the worst: {seconds(worst.dur_us)} s "
            f"instead of {seconds(worst.median_us)} s; what took longer: {worst.cause()}."
        )

    def table(self, most: int | None = None) -> Table:
        """The boots as a table."""
        columns = [text("board"), text("build"), text("device"), text("date"), figure("took [s]"), figure("median [s]"), text("clock")]
        columns += [text("what took longer", widest=70), text("where", widest=40), text("log")]
        return Table(
            columns,
            [
                [
                    named(o.board),
                    named(o.build),
                    o.device or "",
                    o.date.isoformat(),
                    seconds(o.dur_us),
                    seconds(o.median_us),
                    o.clock,
                    o.cause(),
                    o.where(),
                    o.path or "",
                ]
                for o in self.outliers[:most]
            ],
        )


NOTE = (
    "An outlier took longer, relative to the median of its board and build, than the upper quartile of the board's boots by three times "
    "the distance of the quartiles, and by at least a tenth. A build counts from 3 boots on, a board from 20."
)


def outliers(store: Store, selection: Selection, most: int) -> Outliers:
    """Asks a store for its outliers."""
    rows = store.ask("outliers", most=most, **selection.parameters())
    if not rows:
        return Outliers(0, [])
    found = rows[0]["outliers"]
    store.choose_boots([(row["boot_id"], row["board"], row["build"], None, row["date"]) for row in rows])
    days = [row["date"] for row in rows]
    parts: dict[int, list[LongerPart]] = defaultdict(list)
    others = {"all_since": selection.since, "all_until": selection.until}
    for part in store.ask("parts_of_boots", since=min(days), until=max(days), **others):
        parts[part["boot_id"]].append(LongerPart(part["kind"], part["name"], part["us"], float(part["median_us"])))
    return Outliers(found, [outlier(row, parts[row["boot_id"]][:MOST_PARTS]) for row in rows])


def outlier(row: Row, parts: list[LongerPart]) -> Outlier:
    return Outlier(**{name: value for name, value in row.items() if name != "outliers"}, parts=parts)
