# SPDX-License-Identifier: MIT OR Apache-2.0
"""A store that is made by hand: the tables of the contract, as far as questions read them."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from bootline.fleet.store import CONTRACT, Store

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
    device: str | None = None
    date: datetime.date = DAY
    #: Rule, cost, remedy, and what the remedy saves.
    findings: list[tuple[str, int, str, int]] = field(default_factory=list)


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
    finding_rows: list[list[Any]] = []
    counts: Counter[tuple[Any, ...]] = Counter()
    sums: Counter[tuple[Any, ...]] = Counter()
    for number, boot in enumerate(boots):
        boot_rows.append(
            [number, number, boot.board, boot.build, boot.clock, boot.us, boot.app_us, boot.console_us, boot.device, boot.date]
        )
        span_rows += [[number, boot.board, boot.build, boot.clock, name, us, boot.date] for name, us in boot.parts.items()]
        of_boot = [number, boot.board, boot.build, boot.clock]
        finding_rows += [[*of_boot, rule, cost, remedy, saves, boot.date] for rule, cost, remedy, saves in boot.findings]
        for kind, name, us in [("boot", "time-to-init", boot.us), *(("initcall", name, us) for name, us in boot.parts.items())]:
            key = (boot.board, boot.build, boot.clock, kind, name, bucket(us), boot.date)
            counts[key] += 1
            sums[key] += us
    of_build = "board VARCHAR, build VARCHAR, clock VARCHAR"
    rolled_up = [[*key, n, sums[key]] for key, n in counts.items()]
    branch = "tree_name VARCHAR, git_repository_branch VARCHAR, config_name VARCHAR, compiler VARCHAR"
    tables: dict[str, tuple[str, list[list[Any]]]] = {
        "boots": (
            f"boot_id BIGINT, file_id BIGINT, {of_build}, dur_us BIGINT, app_dur_us BIGINT, console_us BIGINT, device VARCHAR, date DATE",
            boot_rows,
        ),
        "spans": (f"boot_id BIGINT, {of_build}, name VARCHAR, dur_us BIGINT, date DATE", span_rows),
        "rollups": (f"{of_build}, kind VARCHAR, name VARCHAR, bucket INTEGER, date DATE, count BIGINT, sum_us BIGINT", rolled_up),
        "findings": (f"boot_id BIGINT, {of_build}, rule VARCHAR, cost_us BIGINT, remedy VARCHAR, saves_us BIGINT, date DATE", finding_rows),
        "measures": ("boot_id BIGINT, date DATE", []),
        "files": ("file_id BIGINT, path VARCHAR, modified TIMESTAMP, ingested_at TIMESTAMP, date DATE", []),
        "builds": (f"build VARCHAR, {branch}, start_time TIMESTAMP, ordinal BIGINT", []),
    }
    nulls = ", ".join(f"NULL::VARCHAR AS {column}" for column in ("problem", "lab", "job", "kernel_version"))
    started = "date::TIMESTAMP + to_seconds(boot_id) AS start_time"
    more = {
        "boots": f", true AS usable, false AS panicked, 'init-record' AS ended_by, {nulls}, {started}",
        "spans": ", 'initcall' AS kind, 0::BIGINT AS console_us",
        "findings": ", 'a rule' AS rule_name, true AS adds_up",
    }
    db, quoted = duckdb.connect(), str(store).replace("'", "''")
    for table, (columns, rows) in tables.items():
        db.execute(f"CREATE TABLE {table} ({columns})")
        # Many at a time: each statement costs a millisecond.
        for some in (rows[i : i + 500] for i in range(0, len(rows), 500)):
            row = f"({', '.join('?' * len(some[0]))})"
            db.execute(f"INSERT INTO {table} VALUES {', '.join([row] * len(some))}", [value for values in some for value in values])
        query = f"SELECT *{more.get(table, '')} FROM {table}"
        if table == "builds":
            (store / table).mkdir()
            db.execute(f"COPY ({query}) TO '{quoted}/{table}/rows.parquet' (FORMAT parquet)")
            continue
        for day in {boot.date for boot in boots}:
            (store / table / f"date={day}").mkdir(parents=True)
            of_day = f"SELECT * EXCLUDE (date) FROM ({query}) WHERE date = '{day}'"
            db.execute(f"COPY ({of_day}) TO '{quoted}/{table}/date={day}/rows.parquet' (FORMAT parquet)")
    return Store(store)


def usual(chance: random.Random, n: int, **more: Any) -> list[Boot]:
    return [Boot(round(chance.gauss(1e6, 1e4)), parts={"x_init": 50_000, "y_init": 20_000}, **more) for _ in range(n)]
