# SPDX-License-Identifier: MIT OR Apache-2.0
"""Two populations of boots compared, part by part: builds, boards, labs, or a device against its own past."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import stats
from .store import Store, StoreError

#: Boots of a side that are looked at, by chance: more would only narrow what is narrow enough, and pairs grow with the square.
MOST_BOOTS = 200
#: What a population is chosen by.
COLUMNS = ("board", "build", "device", "lab", "job", "kernel_version", "kernel_release", "clock", "preempt_rt", "date")


@dataclass(frozen=True)
class PartOfBoth:
    """A part of the boots of both sides."""

    clock: str
    kind: str
    name: str
    #: Boots that have it.
    base_boots: int
    new_boots: int
    base_us: float
    new_us: float
    low_us: float
    difference_us: float
    high_us: float
    confidence: float
    #: The share of false alarms among all parts that differ as much or more.
    p: float


def condition(text: str) -> tuple[str, list[str]]:
    """A population: `build=v6.12,board=rpi4`.

    >>> condition("build=v6.12,board=rpi4")
    ('CAST(build AS VARCHAR) = ? AND CAST(board AS VARCHAR) = ?', ['v6.12', 'rpi4'])
    """
    clauses, values = [], []
    for part in filter(None, (part.strip() for part in text.split(","))):
        column, sign, value = part.partition("=")
        if not sign or column not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise StoreError(f"`{part}` chooses no boots", f"COLUMN=VALUE, several separated by commas; the columns: {known}")
        clauses.append(f"CAST({column} AS VARCHAR) = ?")
        values.append(value)
    return " AND ".join(clauses) or "true", values


def choose_two(store: Store, base: str, new: str) -> None:
    """Chooses up to so many boots of either population, by chance: a boot's identity is a hash."""
    (base_where, base_values), (new_where, new_values) = condition(base), condition(new)
    # Where two populations have a boot in common, nothing can be said.
    store.choose(
        f"""
        SELECT boot_id, 'base' AS side FROM (SELECT boot_id FROM boots WHERE usable AND {base_where} ORDER BY boot_id LIMIT {MOST_BOOTS})
        UNION ALL
        SELECT boot_id, 'new' AS side FROM (SELECT boot_id FROM boots WHERE usable AND {new_where} ORDER BY boot_id LIMIT {MOST_BOOTS})
        """,
        base_values + new_values,
    )
    both = store.sql("SELECT count(*) - count(DISTINCT boot_id) AS n FROM chosen")[0]["n"]
    if both:
        raise StoreError(f"`{base}` and `{new}` have boots in common", "choose populations that exclude each other")


def choose_device(store: Store, device: str, last: int) -> None:
    """Chooses the last boots of a device, and those before them."""
    store.choose(
        f"""
        SELECT boot_id, CASE WHEN place <= {int(last)} THEN 'new' ELSE 'base' END AS side
        FROM (
            SELECT boot_id, row_number() OVER (ORDER BY start_time DESC, boot_id) AS place
            FROM boots WHERE usable AND device = ? AND start_time IS NOT NULL
        )
        WHERE place <= {int(last) + MOST_BOOTS}
        """,
        [device],
    )


def compared(store: Store, least_us: float) -> list[PartOfBoth]:
    """The parts of the chosen boots that both sides have; what differs most comes first."""
    values: dict[tuple[str, str, str], dict[str, list[float]]] = defaultdict(lambda: {"base": [], "new": []})
    for row in store.ask("sides", least_us=least_us):
        values[row["clock"], row["kind"], row["name"]][row["side"]].append(float(row["us"]))
    both = {key: sides for key, sides in values.items() if sides["base"] and sides["new"]}
    chances = stats.false_discovery([stats.p_value(sides["new"], sides["base"]) for sides in both.values()])
    found = []
    for ((clock, kind, name), sides), p in zip(both.items(), chances, strict=True):
        base, new = sides["base"], sides["new"]
        low, best, high, confidence = stats.difference(new, base)
        found.append(
            PartOfBoth(clock, kind, name, len(base), len(new), median(base), median(new), low, best, high, confidence, p)
        )
    return sorted(found, key=lambda part: (part.kind != "boot", -abs(part.difference_us)))


def median(values: Sequence[float]) -> float:
    """The middle one, or the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def counts(store: Store) -> dict[str, int]:
    """How many boots each side has."""
    rows: list[dict[str, Any]] = store.sql("SELECT side, count(*) AS n FROM chosen GROUP BY side")
    return {row["side"]: row["n"] for row in rows}
