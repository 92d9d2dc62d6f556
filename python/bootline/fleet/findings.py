# SPDX-License-Identifier: MIT OR Apache-2.0
"""What each finding costs the whole fleet."""

from __future__ import annotations

from dataclasses import dataclass

from .answer import Answer, named
from .document import BarChart, Document, Section, Table, figure, text
from .figures import count, long_time, number, percent, seconds
from .selection import Selection
from .store import Store


@dataclass(frozen=True)
class FindingCost:
    """What one rule found on one board, by one clock."""

    board: str | None
    clock: str
    rule: str
    rule_name: str
    #: Boots that have it.
    boots: int
    #: All usable boots of that board and clock.
    of_boots: int
    #: Median cost in the boots that have it.
    median_us: int
    #: Its cost in all boots; 0 if other findings contain it.
    total_us: int
    #: What the best remedies are predicted to save in all boots.
    saves_us: int
    remedy: str | None


@dataclass(frozen=True)
class Findings(Answer):
    """What findings cost, the most expensive first."""

    QUESTION = "findings"
    findings: list[FindingCost]

    def document(self) -> Document:
        if not self.findings:
            return Document("What findings cost", "No findings.")
        return Document("What findings cost", self.sentence(), [Section("", [self.table()])], [NOTE])

    def sentence(self) -> str:
        """The most expensive one."""
        if not self.findings:
            return "No findings."
        worst = self.findings[0]
        return (
            f"{named(worst.board)}: {worst.rule} {worst.rule_name} costs most: {long_time(worst.total_us)} in all, "
            f"{seconds(worst.median_us)} s in the median of the {count(worst.boots, 'boot')} that have it."
        )

    def table(self, most: int | None = None) -> Table:
        """The findings as a table."""
        columns = [text("board"), text("finding"), text("clock"), figure("boots"), figure("of all"), figure("median [s]")]
        columns += [figure("total"), figure("savable"), text("remedy", widest=50)]
        return Table(
            columns,
            [
                [
                    named(f.board),
                    f"{f.rule} {f.rule_name}",
                    f.clock,
                    number(f.boots),
                    percent(f.boots, f.of_boots),
                    seconds(f.median_us),
                    long_time(f.total_us) if f.total_us else "in others",
                    long_time(f.saves_us) if f.saves_us else "",
                    f.remedy or "",
                ]
                for f in self.findings[:most]
            ],
        )

    def bars(self, most: int) -> BarChart:
        """The findings as a chart."""
        rows = [
            (f"{named(f.board)}: {f.rule} {f.rule_name} ({f.clock} clock)", float(f.total_us), long_time(f.total_us)) for f in self.findings
        ]
        return BarChart([row for row in rows if row[1] > 0][:most])


NOTE = (
    "Total: the sum over all boots, of costs that no other finding contains. Savable: the sum of what the best remedy of each finding is "
    "predicted to save; two remedies may save the same time."
)


def findings(store: Store, selection: Selection) -> Findings:
    """Asks a store what findings cost."""
    return Findings([FindingCost(**row) for row in store.ask("findings", **selection.parameters())])
