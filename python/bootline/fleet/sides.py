# SPDX-License-Identifier: MIT OR Apache-2.0
"""Two populations of boots compared, part by part: builds, boards, labs, or a device against its own past."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .. import stats
from .answer import GAP, Answer, Estimate, named, part_words
from .document import Document, Section, Table, figure, text
from .figures import between, chance, count, number, seconds, signed, signed_percent
from .population import MOST_BOOTS, Population, choose_device, choose_two, days_of_chosen, exclude_each_other, rollup_parameters
from .store import Row, Store

#: Of parts that differ as much as those reported, this share may be chance.
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Difference:
    """A part of the boots of both sides."""

    #: Null if boards are not compared apart, or are not known.
    board: str | None
    clock: str
    kind: str
    name: str
    #: Boots that have it.
    base_boots: int
    new_boots: int
    #: Medians; a boot that doesn't have it took no time for it.
    base_us: float
    new_us: float
    #: Of the medians.
    difference_us: Estimate
    #: The share of false alarms among all parts that differ as much or more.
    p: float
    #: `slower`, `faster`, `new`, `gone`, or `same`: chance may explain it, or it is too small.
    verdict: str


@dataclass(frozen=True)
class Comparison(Answer):
    """Two populations: whole boots first, then what differs most."""

    QUESTION = "compare"
    base: str
    new: str
    base_boots: int
    new_boots: int
    #: Boots of either that were compared: fewer than there are if some were chosen by chance.
    base_compared: int
    new_compared: int
    #: Clocks that only one side has: nothing can be compared by them.
    clocks_of_one: list[str]
    least_us: float
    differences: list[Difference]

    def document(self) -> Document:
        boots = [d for d in self.differences if d.kind == "boot"]
        parts = [d for d in self.differences if d.kind != "boot" and d.verdict != "same"]
        sections = [Section("Boots", [table(boots)])] if boots else []
        if parts:
            sections.append(Section("Parts that differ", [table(parts[:50])]))
        return Document(f"{self.base} and {self.new}", self.sentence(), sections, self.notes(len(parts)))

    def sentence(self) -> str:
        """How whole boots differ."""
        boots = [d for d in self.differences if d.kind == "boot"]
        if not boots:
            return f"Nothing to compare: `{self.base}` and `{self.new}` have no times of the same clock in common."
        return " ".join(self.of_boots(d) for d in boots)

    def of_boots(self, d: Difference) -> str:
        board = "" if d.board is None else f" of {d.board}"
        what = f"{part_words(d.kind, d.name).capitalize()}{board} ({d.clock} clock)"
        if d.verdict == "same":
            return f"{what}: no difference that chance could not explain ({signed(d.difference_us.best)} s)."
        relative = f", {signed_percent(d.difference_us.best, d.base_us)}" if d.base_us else ""
        # The confidence stands in the table.
        bounds = f" ({between(d.difference_us.low, d.difference_us.high)} s)" if d.difference_us.confidence > 0 else ""
        return f"{what}: `{self.new}` is {d.verdict} than `{self.base}` by {seconds(abs(d.difference_us.best))} s{relative}{bounds}."

    def notes(self, parts: int) -> list[str]:
        """What to know before trusting the figures."""
        base, new = compared(self.base_compared, self.base_boots), compared(self.new_compared, self.new_boots)
        notes = [
            f"{base} of `{self.base}`, {new} of `{self.new}`. Parts that vary by less than "
            f"{seconds(self.least_us)} s are left out; the p values of the others are corrected for their number (Benjamini and Hochberg)."
        ]
        judged = sum(d.kind != "boot" for d in self.differences)
        fewest = min((d.base_boots + d.new_boots for d in self.differences if d.kind == "boot"), default=0)
        if 0 < fewest < MOST_BOOTS and least_p(fewest // 2, fewest - fewest // 2) * judged > SIGNIFICANT:
            notes.append(f"Too few boots to distinguish a single part (of {number(judged)}) from chance; several that differ may show.")
        if max(self.base_compared, self.new_compared) > MOST_BOOTS:
            notes.append(
                f"Of more than {MOST_BOOTS} boots, times of parts are within 2 % (they come from mergeable sketches); intervals are wider "
                "by that: parts that differ by less are not told apart."
            )
        if parts > 50:
            notes.append(f"{count(parts - 50, 'more part')} that differ are in the JSON.")
        if self.clocks_of_one:
            notes.append(f"Only one side has times of these clocks, which are left out: {', '.join(self.clocks_of_one)}.")
        return notes


@dataclass(frozen=True)
class DeviceComparison(Comparison):
    """A device's last boots and those before."""

    QUESTION = "device"


def compared(boots: int, of: int) -> str:
    """How many boots were compared.

    >>> compared(1, 1), compared(200, 20_000)
    ('1 boot', '200 of 20 000 boots')
    """
    return count(of, "boot") if boots == of else f"{number(boots)} of {count(of, 'boot')}"


def table(differences: Sequence[Difference]) -> Table:
    has_board = any(d.board is not None for d in differences)
    columns = [*([text("board")] if has_board else []), text("what"), text("clock"), figure("base [s]"), figure("new [s]")]
    columns += [figure("difference"), figure("interval"), text("p"), text("verdict")]
    rows = []
    for d in differences:
        cells = [*([named(d.board)] if has_board else []), part_words(d.kind, d.name), d.clock, seconds(d.base_us), seconds(d.new_us)]
        cells += [f"{signed(d.difference_us.best)} s", d.difference_us.interval(), chance(d.p), d.verdict]
        rows.append(cells)
    return Table(columns, rows)


def least_p(n: int, m: int) -> float:
    """The smallest p value that so many boots can give.

    >>> round(least_p(4, 4), 4)
    0.0286
    """
    return min(1.0, 2 / math.comb(n + m, n))


#: Board, clock, kind and name.
Part = tuple[str | None, str, str, str]


class Value(NamedTuple):
    """What a boot took: the mean of those in its bucket, and the bounds of the bucket; all three are equal if it is known."""

    us: float
    low_us: float
    high_us: float


#: What a boot took that does not have the part.
NOTHING = Value(0.0, 0.0, 0.0)
#: Values, with how many boots took so long.
Counted = list[tuple[Value, int]]


@dataclass
class Values:
    """What the boots of either side took for a part."""

    base: Counted
    new: Counted

    def of(self, side: str) -> Counted:
        """Those of a side."""
        return self.base if side == "base" else self.new


def thinned(counted: Counted, most: int = MOST_BOOTS) -> list[Value]:
    """Values that are distributed as counted ones, but not more than so many: quantiles, evenly spaced.

    >>> one, five = Value(1.0, 1.0, 1.0), Value(5.0, 4.9, 5.1)
    >>> [value.us for value in thinned([(one, 2), (five, 1)])]
    [1.0, 1.0, 5.0]
    >>> [value.us for value in thinned([(one, 600), (five, 400)], most=5)]
    [1.0, 1.0, 1.0, 5.0, 5.0]
    """
    ordered = sorted(counted)
    total = sum(n for _, n in ordered)
    n = min(total, most)
    values, place, up_to = [], 0, 0
    for i in range(n):
        rank = (i + 0.5) / n * total
        while up_to + ordered[place][1] < rank:
            up_to += ordered[place][1]
            place += 1
        values.append(ordered[place][0])
    return values


def differences(rows: Sequence[Row], least_us: float) -> list[Difference]:
    """The parts of the boots in the rows of `sides` or `sides_of_rollups`; whole boots first, then what differs most.

    A boot without a part took no time for it, provided that it shows others of its kind."""
    parts: dict[Part, Values] = defaultdict(lambda: Values([], []))
    for row in rows:
        value = Value(row["value_us"], row["low_us"], row["high_us"])
        parts[row["board"], row["clock"], row["kind"], row["name"]].of(row["side"]).append((value, row["boots"]))
    boots = {key: (sum(n for _, n in v.base), sum(n for _, n in v.new)) for key, v in parts.items()}
    shown = boots_that_show(boots)
    compared: dict[Part, tuple[list[Value], list[Value]]] = {}
    for key, v in parts.items():
        board, clock, kind, _ = key
        of_kind = boots[key] if kind == "boot" else shown[board, clock, "boot" if kind == GAP else kind]
        with_absent = [[*counted, (NOTHING, max(0, of - n))] for counted, of, n in zip((v.base, v.new), of_kind, boots[key], strict=True)]
        base, new = (thinned(counted) for counted in with_absent)
        if base and new:
            compared[key] = base, new
    # What lies closer together in all boots is no part that could differ.
    boots_apart = [key for key in compared if key[2] == "boot"]
    parts_apart = [key for key, (base, new) in compared.items() if key[2] != "boot" and max(base + new).us - min(base + new).us >= least_us]
    # Whole boots are few, and what one asks for first: parts don't cost them power.
    found = []
    for family in (boots_apart, parts_apart):
        raw = [stats.p_value(*([value.us for value in side] for side in compared[key])) for key in family]
        corrected = stats.false_discovery(raw)
        found += [described(key, *compared[key], boots[key], p, least_us) for key, p in zip(family, corrected, strict=True)]
    return sorted(found, key=lambda d: (d.kind != "boot", -abs(d.difference_us.best), d.board or "", d.clock, d.kind, d.name))


def boots_that_show(boots: Mapping[Part, tuple[int, int]]) -> dict[tuple[str | None, str, str], tuple[int, int]]:
    """How many boots of each side show parts of a kind."""
    shown: dict[tuple[str | None, str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for (board, clock, kind, _), (base, new) in boots.items():
        known = shown[board, clock, kind]
        shown[board, clock, kind] = (max(known[0], base), max(known[1], new))
    return shown


def described(key: Part, base: list[Value], new: list[Value], boots: tuple[int, int], p: float, least_us: float) -> Difference:
    base_us, new_us = (statistics.median(value.us for value in side) for side in (base, new))
    # Whatever boots took between the bounds of their buckets, the interval holds what it would be for them.
    low, _, _, confidence = stats.difference([value.low_us for value in new], [value.high_us for value in base])
    _, _, high, _ = stats.difference([value.high_us for value in new], [value.low_us for value in base])
    best = new_us - base_us
    if p > SIGNIFICANT or abs(best) < least_us or low <= 0 <= high:
        verdict = "same"
    elif not boots[0] or not boots[1]:
        verdict = "new" if boots[1] else "gone"
    else:
        verdict = "slower" if best > 0 else "faster"
    return Difference(*key, *boots, base_us, new_us, Estimate(low, best, high, confidence), p, verdict)


def clocks_of_one(found: Sequence[Row]) -> list[str]:
    sides: dict[str, set[str]] = defaultdict(set)
    for row in found:
        sides[row["clock"]].add(row["side"])
    return sorted(clock for clock, of in sides.items() if len(of) < 2)


def compare(store: Store, base: Population, new: Population, least_us: float) -> Comparison:
    """Compares two populations: by the rollups if there are many boots and these tell them apart, else by boots, chosen by chance."""
    exclude_each_other(base, new)
    # Boots of different boards are one population only if both sides name theirs.
    by_board = not ("board" in base.values and "board" in new.values)
    boots = base.boots(store), new.boots(store)
    # What few boots took is quickly read; the rollups only have it within 2 %.
    if max(boots) > MOST_BOOTS and base.is_rolled_up and new.is_rolled_up:
        rows = store.ask("sides_of_rollups", by_board=by_board, least_us=least_us, **rollup_parameters(base, new))
        chosen = boots
    else:
        chosen = choose_two(store, base, new)
        rows = rows_of_chosen(store, by_board, least_us)
    return Comparison(base.words, new.words, *boots, *chosen, clocks_of_one(rows), least_us, differences(rows, least_us))


def device(store: Store, name: str, last: int, least_us: float, board: str | None = None) -> DeviceComparison:
    """Compares a device's last boots with those before."""
    base, new = choose_device(store, name, last, board)
    rows = rows_of_chosen(store, False, least_us)
    words = f"{name} before", f"{name}, last {count(new, 'boot')}"
    return DeviceComparison(*words, base, new, base, new, clocks_of_one(rows), least_us, differences(rows, least_us))


def rows_of_chosen(store: Store, by_board: bool, least_us: float) -> list[Row]:
    """What the chosen boots took."""
    since, until = days_of_chosen(store)
    return store.ask("sides", since=since, until=until, by_board=by_board, least_us=least_us)
