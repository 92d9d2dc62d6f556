# SPDX-License-Identifier: MIT OR Apache-2.0
"""A population of boots: those with certain values in some columns."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from .answer import named
from .selection import FIRST_DAY, LAST_DAY
from .store import Store, UsageError

#: Boots of a side that are looked at: more would only narrow what is narrow enough, and pairs grow with the square.
MOST_BOOTS = 200
#: What a population is chosen by: columns of boots, and bounds of their date.
COLUMNS = ("board", "build", "clock", "device", "lab", "job", "kernel_version", "kernel_release", "preempt_rt")
DATES = ("since", "until")
#: The columns that rollups have, too.
ROLLED_UP = ("board", "build", "clock", "since", "until")


@dataclass(frozen=True)
class Population:
    """Boots chosen by columns."""

    words: str
    values: dict[str, str]
    since: datetime.date
    until: datetime.date

    @property
    def is_rolled_up(self) -> bool:
        """Whether the rollups know these boots from others."""
        return all(column in ROLLED_UP for column in self.values)

    def condition(self) -> tuple[str, dict[str, Any]]:
        """The condition on boots, with its parameters.

        >>> population("build=v6.12,board=rpi4").condition()[0]
        'usable AND date BETWEEN $since AND $until AND CAST(build AS VARCHAR) = $build AND CAST(board AS VARCHAR) = $board'
        """
        columns = {column: value for column, value in self.values.items() if column not in DATES}
        clauses = ["usable", "date BETWEEN $since AND $until", *(f"CAST({column} AS VARCHAR) = ${column}" for column in columns)]
        return " AND ".join(clauses), {"since": self.since, "until": self.until, **columns}

    def boots(self, store: Store) -> int:
        """How many usable boots it has."""
        where, parameters = self.condition()
        n: int = store.sql(f"SELECT count(*) AS n FROM boots WHERE {where}", parameters)[0]["n"]
        if not n:
            raise UsageError(
                f"no usable boots with `{self.words}`", "`bootline sql STORE 'SELECT DISTINCT board, build FROM boots'` shows what there is"
            )
        return n

    def overlaps(self, other: Population) -> bool:
        """Whether boots may belong to both."""
        if self.until < other.since or other.until < self.since:
            return False
        return all(other.values.get(column, value) == value for column, value in self.values.items() if column not in DATES)


def population(text: str) -> Population:
    """Reads a population: `build=v6.12,board=rpi4,since=2026-01-01`."""
    values: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        column, sign, value = part.partition("=")
        if not sign or column not in COLUMNS + DATES:
            known = ", ".join(COLUMNS + DATES)
            raise UsageError(f"`{part}` chooses no boots", f"write COLUMN=VALUE, several separated by commas; the columns: {known}")
        if column in values:
            raise UsageError(f"`{column}` is given twice", "a population has one value for each column")
        values[column] = value
    return Population(text, values, day(values.get("since"), FIRST_DAY), day(values.get("until"), LAST_DAY))


def day(text: str | None, otherwise: datetime.date) -> datetime.date:
    if text is None:
        return otherwise
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"`{text}` is not a date", "write it as 2026-01-31") from None


def exclude_each_other(base: Population, new: Population) -> None:
    """Refuses populations that may have boots in common."""
    if base.overlaps(new):
        raise UsageError(f"`{base.words}` and `{new.words}` may have boots in common", "choose populations that exclude each other")


def rollup_parameters(base: Population, new: Population) -> dict[str, Any]:
    """The parameters of the question `sides_of_rollups`."""
    given: dict[str, Any] = {}
    for side, one in (("base", base), ("new", new)):
        given |= {f"{side}_{column}": one.values.get(column) for column in ("board", "build", "clock")}
        given |= {f"{side}_since": one.since, f"{side}_until": one.until}
    return given


def choose_two(store: Store, base: Population, new: Population) -> tuple[int, int]:
    """Chooses up to so many boots of either population, by chance: a boot's identity is a hash. Says how many of either."""
    chosen = []
    for side, one in (("base", base), ("new", new)):
        where, parameters = one.condition()
        rows = store.sql(f"SELECT boot_id, board, build, date FROM boots WHERE {where} ORDER BY boot_id LIMIT {MOST_BOOTS}", parameters)
        chosen += [(row["boot_id"], row["board"], row["build"], side, row["date"]) for row in rows]
    store.choose_boots(chosen)
    of_base = sum(side == "base" for _, _, _, side, _ in chosen)
    return of_base, len(chosen) - of_base


def choose_device(store: Store, device: str, last: int, board: str | None) -> tuple[int, int]:
    """Chooses the last boots of a device, and those before them; says how many of either.

    Boards name their devices apart: one of each may be called `1`."""
    where = "usable AND device = $device AND start_time IS NOT NULL"
    parameters = {"device": device}
    if board is not None:
        where, parameters = f"{where} AND board = $board", {**parameters, "board": board}
    boards = [row["board"] for row in store.sql(f"SELECT DISTINCT board FROM boots WHERE {where} ORDER BY board NULLS FIRST", parameters)]
    if len(boards) > 1:
        raise UsageError(f"device `{device}` is on several boards: {', '.join(map(named, boards))}", "add `--board`")
    rows = store.sql(
        f"""
        SELECT boot_id, board, build, date FROM boots
        WHERE {where}
        ORDER BY start_time DESC, boot_id LIMIT {last + MOST_BOOTS}
        """,
        parameters,
    )
    if len(rows) <= last:
        raise UsageError(
            f"device `{device}` has {len(rows)} usable boots with a start time; comparing the last {last} with its past takes more",
            "`--last` says how many are the last ones",
        )
    sides = [("new" if place < last else "base") for place in range(len(rows))]
    store.choose_boots([(row["boot_id"], row["board"], row["build"], side, row["date"]) for row, side in zip(rows, sides, strict=True)])
    return len(rows) - last, last


def days_of_chosen(store: Store) -> tuple[datetime.date, datetime.date]:
    """The days between which the chosen boots lie."""
    row = store.sql("SELECT min(date) AS since, max(date) AS until FROM chosen")[0]
    return row["since"] or FIRST_DAY, row["until"] or LAST_DAY
