# SPDX-License-Identifier: MIT OR Apache-2.0
"""Questions over a store that is made by hand, for what boots of the corpus do not have.

Outliers with a cause, times to the application, two clocks, boots without a board."""

from __future__ import annotations

import datetime
import random
import statistics
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest

from bootline.fleet.changes import Limits, ask_series, changes
from bootline.fleet.outliers import outliers
from bootline.fleet.overview import overview
from bootline.fleet.selection import Selection
from bootline.fleet.store import CONTRACT, Store
from bootline.fleet.times import times

ALL = Selection()
DAY = datetime.date(2026, 3, 1)


@dataclass
class Boot:
    """A boot, and the initcalls that it shows."""

    us: int
    build: str = "b0"
    board: str | None = "a"
    clock: str = "kernel"
    parts: dict[str, int] = field(default_factory=dict)
    console_us: int = 0
    app_us: int | None = None


def bucket(us: int) -> int:
    """As docs/store.md has it."""
    value = 0
    while 1.02**value < us:
        value += 1
    return value if us >= 1 else -1


def write(store: Path, boots: list[Boot]) -> Store:
    """The tables of the contract, as far as questions read them."""
    (store / "_bootline").mkdir(parents=True)
    (store / "_bootline" / "version").write_text(CONTRACT)
    boot_rows: list[list[Any]] = []
    span_rows: list[list[Any]] = []
    counts: Counter[tuple[Any, ...]] = Counter()
    sums: Counter[tuple[Any, ...]] = Counter()
    for number, boot in enumerate(boots):
        boot_rows.append([number, number, boot.board, boot.build, boot.clock, boot.us, boot.app_us, boot.console_us])
        span_rows += [[number, boot.board, boot.build, boot.clock, name, us] for name, us in boot.parts.items()]
        for kind, name, us in [("boot", "time-to-init", boot.us), *(("initcall", name, us) for name, us in boot.parts.items())]:
            key = (boot.board, boot.build, boot.clock, kind, name, bucket(us))
            counts[key] += 1
            sums[key] += us
    of_build = "board VARCHAR, build VARCHAR, clock VARCHAR"
    rolled_up = [[*key, n, sums[key]] for key, n in counts.items()]
    branch = "tree_name VARCHAR, git_repository_branch VARCHAR, config_name VARCHAR, compiler VARCHAR"
    tables: dict[str, tuple[str, list[list[Any]]]] = {
        "boots": (f"boot_id BIGINT, file_id BIGINT, {of_build}, dur_us BIGINT, app_dur_us BIGINT, console_us BIGINT", boot_rows),
        "spans": (f"boot_id BIGINT, {of_build}, name VARCHAR, dur_us BIGINT", span_rows),
        "rollups": (f"{of_build}, kind VARCHAR, name VARCHAR, bucket INTEGER, count BIGINT, sum_us BIGINT", rolled_up),
        "findings": (f"boot_id BIGINT, {of_build}, rule VARCHAR, cost_us BIGINT", []),
        "measures": ("boot_id BIGINT", []),
        "files": ("file_id BIGINT, path VARCHAR, modified TIMESTAMP, ingested_at TIMESTAMP", []),
        "builds": (f"build VARCHAR, {branch}, start_time TIMESTAMP, ordinal BIGINT", []),
    }
    nulls = ", ".join(f"NULL::VARCHAR AS {column}" for column in ("problem", "device", "lab", "job"))
    more = {
        "boots": f", true AS usable, false AS panicked, 'init-record' AS ended_by, {nulls}, NULL::TIMESTAMP AS start_time",
        "spans": ", 'initcall' AS kind, 0::BIGINT AS console_us",
    }
    db = duckdb.connect()
    for table, (columns, rows) in tables.items():
        db.execute(f"CREATE TABLE {table} ({columns})")
        if rows:
            db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        folder = store / table if table == "builds" else store / table / f"date={DAY}"
        folder.mkdir(parents=True)
        db.execute(f"COPY (SELECT *{more.get(table, '')} FROM {table}) TO '{folder / 'rows.parquet'}' (FORMAT parquet)")
    return Store(store)


def usual(chance: random.Random, n: int, **more: Any) -> list[Boot]:
    return [Boot(round(chance.gauss(1e6, 1e4)), parts={"x_init": 50_000, "y_init": 20_000}, **more) for _ in range(n)]


def test_an_outlier_and_its_cause(tmp_path: Path) -> None:
    chance = random.Random(1)
    slow_part = Boot(1_900_000, parts={"x_init": 940_000, "y_init": 20_000})
    new_part = Boot(1_500_000, parts={"x_init": 50_000, "fsck": 480_000})
    console = Boot(1_400_000, parts={"x_init": 50_000}, console_us=390_000)
    answer = outliers(write(tmp_path / "store", [*usual(chance, 30), slow_part, new_part, console]), ALL, most=10)
    assert [outlier.dur_us for outlier in answer.outliers] == [1_900_000, 1_500_000, 1_400_000]
    causes = [outlier.cause() for outlier in answer.outliers]
    assert causes[0].startswith("initcall x_init +0.890 s, ")
    assert causes[1].startswith("initcall fsck +0.480 s, ")
    assert causes[2].startswith("waits for the console +0.390 s, ")
    assert answer.found == 3


def test_a_slow_build_has_no_outliers(tmp_path: Path) -> None:
    chance = random.Random(2)
    slow = [Boot(round(chance.gauss(2e6, 2e4)), build="b1") for _ in range(10)]
    answer = outliers(write(tmp_path / "store", [*usual(chance, 30), *slow]), ALL, most=10)
    assert answer.outliers == []
    assert answer.sentence().startswith("No boot took far longer")


def test_the_time_to_the_application(tmp_path: Path) -> None:
    boots = [Boot(1_000_000, app_us=2_000_000 + 10_000 * n) for n in range(11)]
    found = {t.name: t for t in times(write(tmp_path / "store", boots), ALL, by_build=False).times if t.kind == "boot"}
    application = found["time-to-application"]
    assert (application.boots, application.least_us, application.median_us, application.greatest_us) == (
        11,
        2_000_000,
        2_050_000,
        2_100_000,
    )
    assert application.median_low_us < 2_050_000 < application.median_high_us


@pytest.mark.parametrize("middle", [1_000_000, 1_010_000, 1_019_000])
def test_medians_of_many_boots_are_closer_than_a_bucket_is_wide(tmp_path: Path, middle: int) -> None:
    """A bucket is 2 % wide: where in it the median lies must not matter."""
    chance = random.Random(5)
    boots = [Boot(round(chance.gauss(middle, 2e4)), build=f"b{n % 8}") for n in range(1600)]
    store = write(tmp_path / "store", boots)
    found = times(store, ALL, by_build=False).times[0]
    exact = statistics.median(boot.us for boot in boots)
    assert abs(found.median_us / exact - 1) < 0.001
    assert found.median_low_us < exact < found.median_high_us
    (series,) = ask_series(store, ALL, Limits())
    for point in series.points:
        of_build = statistics.median(boot.us for boot in boots if boot.build == point.build)
        assert abs(point.median_us / of_build - 1) < 0.004


def test_medians_of_few_boots_are_exact(tmp_path: Path) -> None:
    boots = [Boot(us) for us in (1_000_000, 1_100_000, 1_300_000, 1_700_000, 2_500_000)]
    assert times(write(tmp_path / "store", boots), ALL, by_build=False).times[0].median_us == 1_300_000


def test_clocks_are_never_pooled(tmp_path: Path) -> None:
    chance = random.Random(3)
    # By the kernel's clock all is as before; there are more boots by the other one.
    boots = []
    for n in range(20):
        boots += [Boot(round(chance.gauss(1e6, 1e3)), build=f"b{n:02}") for _ in range(5)]
        boots += [Boot(round(chance.gauss(3e6, 1e3)), build=f"b{n:02}", clock="arrival") for _ in range(n)]
    store = write(tmp_path / "store", boots)
    assert changes(store, ALL, Limits()).changes == []
    assert {(t.clock, round(t.median_us / 1e6)) for t in times(store, ALL, by_build=False).times} == {("kernel", 1), ("arrival", 3)}
    assert {c.clock: c.boots for c in overview(store, ALL, most=5).clocks} == {"kernel": 100, "arrival": 190}


@pytest.mark.parametrize("board", [None, "", "a'b"])
def test_boards_of_any_name(tmp_path: Path, board: str | None) -> None:
    chance = random.Random(4)
    boots = []
    for n in range(20):
        us = 50_000 if n < 12 else 250_000
        boots += [Boot(round(chance.gauss(1e6, 1e3)) + us, build=f"b{n:02}", board=board, parts={"x_init": us}) for _ in range(5)]
    store = write(tmp_path / "store", boots)
    (change,) = changes(store, ALL, Limits()).changes
    assert (change.board, change.since_build) == (board, "b12")
    assert [part.name for part in change.parts] == ["x_init"]
    assert outliers(store, ALL, most=5).outliers == []
