# SPDX-License-Identifier: MIT OR Apache-2.0
"""What regressed, and what costs most: the answer without a question, and the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .answer import Answer
from .changes import Changes, Limits, all_changes, ask_series, identity
from .document import Block, Document, Paragraph, Section
from .findings import Findings, findings
from .outliers import Outliers, outliers
from .overview import Overview, overview
from .selection import Selection
from .series import Series
from .slowest import Slowest, slowest
from .store import Store
from .times import TimesAnswer, bars, times

#: Rows of each part on a terminal, and on a page.
FEW, MANY = 5, 25
MOST_BARS = 10


@dataclass(frozen=True)
class Summary(Answer):
    """What regressed, and what costs most."""

    QUESTION = "summary"
    overview: Overview
    changes: Changes
    findings: Findings
    slowest: Slowest
    outliers: Outliers
    times: TimesAnswer

    def document(self) -> Document:
        return self.with_series([], FEW)

    def with_series(self, series: list[Series], most: int) -> Document:
        """The same with the series that changed, for a page; `most` rows of each part."""
        charted = {identity(one): one for one in series}
        changes = self.changes.sections(charted, most)
        sections = [*changes] if changes else []
        sections += self.costs(most)
        if self.outliers.outliers:
            sections.append(Section("Outliers", [Paragraph(self.outliers.sentence()), self.outliers.table(most)]))
        if series:
            of_boots = [t for t in self.times.times if t.kind == "boot"]
            if of_boots:
                sections.append(Section("Times of boots: medians", [bars(of_boots), self.times.table(of_boots)]))
            for kind, title in (("stage", "Stages"), ("phase", "Phases")):
                of_kind = [t for t in self.times.times if t.kind == kind]
                if of_kind:
                    sections.append(Section(title, [self.times.table(of_kind)]))
            sections += self.overview.document().sections
        sentence = f"{self.changes.sentence()} {self.overview.document().sentence}"
        return Document("What regressed, and what costs most", sentence, sections, list(self.notes(bool(series))))

    def costs(self, most: int) -> list[Section]:
        """What findings cost, and the slowest parts."""
        sections = []
        if self.findings.findings:
            blocks: list[Block] = [Paragraph(self.findings.sentence()), self.findings.bars(MOST_BARS), self.findings.table(most)]
            sections.append(Section("What findings cost", blocks))
        if self.slowest.parts:
            parts: list[Block] = [Paragraph(self.slowest.sentence()), self.slowest.bars(MOST_BARS), self.slowest.table(most)]
            sections.append(Section("Slowest parts", parts))
        return sections

    def notes(self, is_page: bool) -> Iterator[str]:
        """What to know before trusting the figures."""
        yield from self.changes.notes()
        if is_page:
            yield from self.findings.document().notes
            yield from self.slowest.document().notes
            yield from self.outliers.document().notes
            yield from self.times.document().notes


def summary(store: Store, selection: Selection, limits: Limits) -> tuple[Summary, list[Series]]:
    """Asks a store all of it; the series are for the page."""
    series = ask_series(store, selection, limits)
    answer = Summary(
        overview(store, selection, most=FEW),
        all_changes(series, limits),
        findings(store, selection),
        slowest(store, selection, kind=None, most=MANY),
        outliers(store, selection, most=MANY),
        times(store, selection, by_build=False),
    )
    return answer, series
