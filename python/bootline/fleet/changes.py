# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which parts of a boot have changed their level, and since which build."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .. import stats
from .answer import TILES, Answer, Estimate, named, part_words
from .document import Block, Document, Level, Paragraph, Section, SeriesChart, Table, figure, text
from .figures import chance, count, number, seconds, signed, signed_percent
from .selection import Selection
from .series import Series, series_of
from .store import Store

#: Fewer builds say nothing.
FEWEST_BUILDS = 6
#: Parts that changed with a boot changed at most so many builds from it: the place of a step in noise is known that well.
NEAR = 2


@dataclass(frozen=True)
class Limits:
    """What is called a change."""

    #: How often chance may give one: among the boots' series, and among those of parts.
    p: float = 0.01
    #: The least change, as a share of the level before.
    share: float = 0.01
    #: The least change, in microseconds.
    least_us: float = 1000


@dataclass(frozen=True)
class Change:
    """A series that changed its level with a build."""

    board: str | None
    #: Tree, branch, configuration and compiler of the builds, as far as they are known.
    branch: str | None
    clock: str
    kind: str
    name: str
    #: The first build of the new level, and the build before it.
    since_build: str
    previous_build: str
    #: Builds of the new level; the last one if it lasts.
    builds: int
    #: Builds since, with that one.
    builds_ago: int
    #: Medians of the levels.
    before_us: float
    after_us: float
    difference_us: Estimate
    #: How likely a series without a change has one like this anywhere, corrected for the number of series.
    p: float
    #: The build with which the level was back where it had been.
    undone_by: str | None
    #: Parts that changed with it, the greatest first.
    parts: tuple[Change, ...] = ()

    @property
    def is_regression(self) -> bool:
        """Whether it takes longer since, up to now."""
        return self.difference_us.best > 0 and self.undone_by is None

    def in_words(self) -> str:
        """The change in a sentence, with the part that explains most of it."""
        return in_words(self)

    def size(self) -> str:
        """`+0.170 s (+5.0 %)`"""
        relative = signed_percent(self.difference_us.best, self.before_us)
        return f"{signed(self.difference_us.best)} s" + (f" ({relative})" if relative else "")


@dataclass(frozen=True)
class LookedAt:
    """What was looked at."""

    series: int
    #: Series of whole boots.
    boots: int
    #: Builds of the longest one.
    builds: int
    #: Series that are too short to judge, and how many of these are of whole boots.
    too_short: int
    boots_too_short: int

    def too_few(self) -> str:
        """Why whole boots are not judged."""
        if not self.boots:
            return "No builds to compare: the boots name none."
        return f"Too few builds to judge: {self.builds}; a change takes {FEWEST_BUILDS} to show."


@dataclass(frozen=True)
class Changes(Answer):
    """The changes of whole boots with those of their parts, then those of parts with which no boot changed; the greatest growth first."""

    QUESTION = "changes"
    limits: Limits
    looked_at: LookedAt
    changes: list[Change]

    def regressions(self) -> list[Change]:
        """What takes longer since, up to now."""
        return [change for change in self.changes if change.is_regression]

    def every(self) -> list[Change]:
        """All changes, those of parts of others included."""
        return [c for change in self.changes for c in (change, *change.parts)]

    def document(self) -> Document:
        return Document("What changed, and since which build", self.sentence(), self.sections({}), self.notes())

    def sentence(self) -> str:
        """What regressed most."""
        looked = self.looked_at
        if not looked.boots and not looked.series:
            return looked.too_few()
        regressions = self.regressions()
        if not regressions:
            if looked.series == looked.too_short:
                return looked.too_few()
            series = count(looked.series - looked.too_short, "series", "series")
            return f"Nothing regressed in up to {count(looked.builds, 'build')} ({series})."
        worst = next((change for change in regressions if change.kind == "boot"), regressions[0])
        others = sum(change.is_regression for change in without_echoes(self.changes)) - 1
        more = f" {count(others, 'other regression')}." if others > 0 else ""
        return f"{in_words(worst)}{more}"

    def notes(self) -> list[str]:
        """What to know before trusting the figures."""
        limits = self.limits
        notes = [
            f"A change is reported if chance causes one like it in less than {100 * limits.p:g} % of cases, and if it is at least "
            f"{seconds(limits.least_us)} s and {100 * limits.share:g} % of the level before. Parts include what is nested in them."
        ]
        if self.looked_at.too_short:
            notes.append(f"Too short to judge (fewer than {FEWEST_BUILDS} builds): {count(self.looked_at.too_short, 'series', 'series')}.")
        return notes

    def sections(self, series: dict[tuple[str | None, ...], Series], most: int = 50) -> list[Section]:
        """Regressions, then what became faster or was undone. With series, boots have charts."""
        shown = without_echoes(self.changes)
        slower = [c for c in shown if c.is_regression]
        groups = (
            ("Slower", [c for c in slower if c.kind == "boot"]),
            ("Parts that are slower, without a change of the whole boot", [c for c in slower if c.kind != "boot"]),
            ("Slower for a while", [c for c in shown if c.difference_us.best > 0 and c.undone_by is not None]),
            ("Faster", [c for c in shown if c.difference_us.best <= 0]),
        )
        sections = []
        for title, group in groups:
            if not group:
                continue
            blocks: list[Block] = [table(group[:most])]
            if len(group) > most:
                blocks.append(Paragraph(f"{number(len(group) - most)} more in the JSON."))
            # Each boot that changed, and the part that explains most of it.
            wanted = [c for change in group[:most] if change.kind == "boot" for c in (change, main_part(change)) if c is not None]
            charted: set[tuple[str | None, ...]] = set()
            for change in wanted:
                one = series.get(identity(change))
                if one is not None and identity(change) not in charted:
                    charted.add(identity(change))
                    blocks.append(chart(change, one, [c for c in self.every() if identity(c) == identity(change)]))
            sections.append(Section(title, blocks))
        return sections


#: What says most about the cause comes first: what ran, where nothing is known to have run, and what tiles the boot.
RANKS = {"gap": 1, "phase": 2, "stage": 3}
#: Parts whose sizes differ by less are one change, seen twice.
ECHO = 0.25


def rank(change: Change) -> int:
    return RANKS.get(change.kind, 0)


def without_echoes(changes: Sequence[Change]) -> list[Change]:
    """Without gaps, phases and stages that changed only with a part that is listed itself."""

    def echoes(one: Change, other: Change) -> bool:
        size = one.difference_us.best
        return (
            "boot" not in (one.kind, other.kind)
            and rank(other) < rank(one)
            and identity(one)[:3] == identity(other)[:3]
            and abs(one.builds_ago - other.builds_ago) <= NEAR
            and abs(other.difference_us.best - size) <= ECHO * abs(size)
        )

    return [one for one in changes if not any(echoes(one, other) for other in changes)]


def identity(change: Change | Series) -> tuple[str | None, ...]:
    """Whose level it is."""
    return (change.board, change.branch, change.clock, change.kind, change.name)


def in_words(change: Change) -> str:
    """The change in a sentence, with the part that explains most of it."""
    relative = signed_percent(change.difference_us.best, change.before_us)
    words = (
        f"{named(change.board)}: {part_words(change.kind, change.name)} grew by {seconds(change.difference_us.best)} s"
        f"{f' ({relative})' if relative else ''} with build {change.since_build}, {count(change.builds_ago, 'build')} ago"
    )
    cause = main_part(change)
    if cause is not None:
        words += f"; largest part: {part_words(cause.kind, cause.name)} {signed(cause.difference_us.best)} s"
    elif change.kind == "boot":
        words += "; no single part changed with it"
    return words + "."


def main_part(change: Change) -> Change | None:
    """The part that explains most of a change: the most telling of those that are as large as the largest."""
    if not change.parts:
        return None
    largest = max(abs(part.difference_us.best) for part in change.parts)
    candidates = [part for part in change.parts if abs(part.difference_us.best) >= largest / 2]
    return min(candidates, key=lambda part: (rank(part), -abs(part.difference_us.best)))


def where(change: Change) -> str:
    """The stage or phase that changed with it most."""
    tile = next((part for part in change.parts if part.kind in TILES), None)
    return "" if tile is None else f"{tile.kind} {tile.name}"


def table(changes: Sequence[Change]) -> Table:
    has_branch = any(change.branch for change in changes)
    columns = [text("board"), *([text("branch")] if has_branch else []), text("what", widest=60), text("since build")]
    columns += [figure("builds ago"), figure("before [s]"), figure("after [s]"), figure("difference"), figure("interval")]
    columns += [text("p"), text("clock"), text("stage or phase"), text("largest part", widest=70)]
    rows = []
    for change in changes:
        cause = main_part(change)
        undone = f" (until {change.undone_by})" if change.undone_by else ""
        cells = [named(change.board), *([change.branch or ""] if has_branch else []), part_words(change.kind, change.name)]
        cells += [f"{change.since_build}{undone}", str(change.builds_ago), seconds(change.before_us), seconds(change.after_us)]
        cells += [
            change.size(),
            change.difference_us.interval(),
            chance(change.p),
            change.clock,
            where(change),
        ]
        cells += ["" if cause is None else f"{part_words(cause.kind, cause.name)} {signed(cause.difference_us.best)} s"]
        rows.append(cells)
    # What no row has is no column.
    kept = [c for c in range(len(columns)) if any(row[c] for row in rows)]
    return Table([columns[c] for c in kept], [[row[c] for c in kept] for row in rows])


def chart(change: Change, series: Series, all_changes: Sequence[Change]) -> SeriesChart:
    labels = [point.build for point in series.points]
    starts = sorted({0, *(labels.index(c.since_build) for c in all_changes)})
    ends = [*starts[1:], len(labels)]
    levels = [Level(start, end, statistics.median(series.values()[start:end])) for start, end in zip(starts, ends, strict=True)]
    title = f"{named(change.board)}: {part_words(change.kind, change.name)} by build, medians [s], {change.clock} clock"
    return SeriesChart(title, labels, series.values(), levels)


def changes_in(series: Sequence[Series], limits: Limits) -> list[Change]:
    """All changes in some series of one family. Their p values are corrected for its size (Benjamini and Hochberg)."""
    long = [one for one in series if len(one.points) >= FEWEST_BUILDS]
    found = stats.change_points([one.values() for one in long], p=limits.p, share=limits.share)
    # A series without a change counts, too.
    raw = [min(points, key=lambda c: c.p).p if points else 1.0 for points in found]
    corrected = stats.false_discovery(raw) if raw else []
    result = []
    for one, points, least, adjusted in zip(long, found, raw, corrected, strict=True):
        factor = adjusted / least if least > 0 else 1.0
        kept = [c for c in points if abs(c.after - c.before) >= limits.least_us and c.p * factor <= limits.p]
        result += [described(one, kept, i, min(1.0, c.p * factor), limits) for i, c in enumerate(kept)]
    return sorted(result, key=lambda change: -change.difference_us.best)


def described(series: Series, points: Sequence[stats.ChangePoint], i: int, p: float, limits: Limits) -> Change:
    """The ith change of a series."""
    point, last = points[i], points[-1]
    end = points[i + 1].index if i + 1 < len(points) else len(series.points)
    allowed = max(limits.share * abs(point.before), limits.least_us)
    later = points[i + 1 :]
    # A regression is undone once the level is back, whatever is in between.
    undone = None
    if point.after > point.before and later and last.after <= point.before + allowed:
        undone = next(series.points[c.index].build for c in later if c.after <= point.before + allowed)
    return Change(
        series.board,
        series.branch,
        series.clock,
        series.kind,
        series.name,
        since_build=series.points[point.index].build,
        previous_build=series.points[point.index - 1].build,
        builds=end - point.index,
        builds_ago=len(series.points) - point.index,
        before_us=point.before,
        after_us=point.after,
        difference_us=Estimate(point.low, point.difference, point.high, point.confidence),
        p=p,
        undone_by=undone,
    )


def with_parts(boots: Sequence[Change], parts: Sequence[Change], places: dict[tuple[str | None, ...], dict[str, int]]) -> list[Change]:
    """The changes of boots with those of their parts, then those of parts with which no boot changed. `places` are those of builds."""
    told, taken = [], set[int]()
    for boot in boots:
        own = [part for part in parts if belongs(part, boot, places.get(identity(boot), {}))]
        taken.update(id(part) for part in own)
        told.append(replace(boot, parts=tuple(sorted(own, key=lambda part: -abs(part.difference_us.best)))))
    return told + [part for part in parts if id(part) not in taken]


def belongs(part: Change, boot: Change, places: dict[str, int]) -> bool:
    """Whether a part changed with a boot, and in the same direction."""
    if identity(part)[:3] != identity(boot)[:3] or (part.difference_us.best > 0) != (boot.difference_us.best > 0):
        return False
    place, of_boot = places.get(part.since_build), places.get(boot.since_build)
    return place is not None and of_boot is not None and abs(place - of_boot) <= NEAR


def all_changes(series: Sequence[Series], limits: Limits, last: int | None = None) -> Changes:
    """The changes in all series; `last` restricts them to those of the last builds."""
    boots = [one for one in series if one.kind == "boot"]
    parts = [one for one in series if one.kind != "boot"]
    places = {identity(one): {point.build: i for i, point in enumerate(one.points)} for one in boots}
    found = with_parts(changes_in(boots, limits), changes_in(parts, limits), places)
    if last is not None:
        found = [change for change in found if change.builds_ago <= last]
    looked = LookedAt(
        series=len(series),
        boots=len(boots),
        builds=max((len(one.points) for one in boots), default=0),
        too_short=sum(len(one.points) < FEWEST_BUILDS for one in series),
        boots_too_short=sum(len(one.points) < FEWEST_BUILDS for one in boots),
    )
    return Changes(limits, looked, found)


def ask_series(store: Store, selection: Selection, limits: Limits) -> list[Series]:
    """The series in a store."""
    dates = {"since": selection.since, "until": selection.until}
    return series_of(store.ask("series", board=selection.board, **dates, least_us=limits.least_us))


def changes(store: Store, selection: Selection, limits: Limits, last: int | None = None) -> Changes:
    """Asks a store what changed."""
    return all_changes(ask_series(store, selection, limits), limits, last)
