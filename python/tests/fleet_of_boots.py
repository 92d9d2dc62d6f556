# SPDX-License-Identifier: MIT OR Apache-2.0
"""Boots to store by both engines, and what is equal when they have."""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bootline.fleet.store import Row, Store, question_text

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
QUESTIONS = sorted(path.stem for path in (ROOT / "python/bootline/fleet/questions").glob("*.sql"))
PATTERN = "{lab}/{board}/{build}/{job}.log"
#: The columns that depend on when something was ingested.
OF_INGEST = {"files": ("ingested_at", "date")}
TABLES = ("boots", "spans", "findings", "measures", "builds", "rollups", "files")


@dataclass(frozen=True)
class Logs:
    """A folder of inputs of all kinds, and how many there are."""

    folder: Path
    inputs: int
    #: Of different content.
    contents: int


def make_logs(folder: Path, builds: int, boots: int, captures: int) -> Logs:
    """Multiplied boots with a step, captures of the corpus, and what else lies about."""
    made = [f"{CORPUS}/x86-6.12-2400/dmesg.kmsg=slow", f"{CORPUS}/x86-6.12-38400-initcall/dmesg.kmsg=stepping"]
    step = f"{builds // 2}:stepping:acpi_init:300"
    command = [ROOT / "scripts/multiply-boots", folder, *made, "--builds", str(builds), "--boots", str(boots), "--step", step]
    subprocess.run([*map(str, command)], check=True)
    make_outlier(folder / "lab-0/odd/build-000")
    for capture in sorted(CORPUS.glob("*/boot.cap"))[:captures]:
        shutil.copy(capture, folder / f"{capture.parent.name}.cap")
    one = next(folder.glob("lab-0/slow/*/*.log"))
    shutil.copy(one, folder / "same content.log")
    (folder / "notes.txt").write_text("no log at all\n")
    (folder / "empty.log").write_bytes(b"")
    whole = subprocess.run(["gzip", "-c", one], check=True, capture_output=True).stdout
    (folder / "cut.log.gz").write_bytes(whole[: len(whole) // 2])
    subprocess.run(["tar", "-czf", folder / "three.tar.gz", "-C", folder / "lab-0/slow", "build-000", "build-001"], check=True)
    described = folder / f"{min(folder.glob('*.cap')).name}.meta.json"
    measures = [{"name": "power", "value": 2.5, "unit": "W"}]
    described.write_text(json.dumps({"board": "measured", "build": "v1", "git_commit_hash": "ab12", "measures": measures}))
    (folder / "notes.txt.meta.json").write_text("{ not JSON")
    inputs = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".meta.json"))
    for i, path in enumerate(inputs):
        # Hadoop knows milliseconds only.
        at = 1_767_225_600 + 3_600 * i
        os.utime(path, (at, at))
    return Logs(folder, len(inputs), len(inputs) - 1)


def make_outlier(folder: Path) -> None:
    """Boots of a board in one build, made up because they are many and small; one waits for a part of its own."""
    folder.mkdir(parents=True)
    for n in range(24):
        slow_us = 900_000 if n == 7 else 30_000
        lines = [(0, "Linux version 6.12.0 (made up)"), (200_000 + n, "calling  x_init+0x0/0x10 @ 1")]
        lines += [(200_000 + n + slow_us, f"initcall x_init+0x0/0x10 returned 0 after {slow_us} usecs")]
        lines += [(500_000 + 100 * n + slow_us, "Run /sbin/init as init process")]
        text = "".join(f"[{us // 1_000_000:5}.{us % 1_000_000:06}] {words}\n" for us, words in lines)
        (folder / f"job-{n:02}.log").write_text(text)


def embedded(ingest_command: Path, logs: Path, store: Path) -> subprocess.CompletedProcess[str]:
    """Stores the logs by `bootline ingest`."""
    command = [ingest_command, "--quiet", logs, "-o", store, "--path-pattern", PATTERN]
    return subprocess.run([*map(str, command)], check=False, capture_output=True, text=True)


def rows(store: Path, table: str) -> list[tuple[Any, ...]]:
    """All rows of a table but what depends on when it was ingested, in an order that depends on nothing else. Rollups are added up."""
    columns = ", ".join(OF_INGEST.get(table, ()))
    query = f"SELECT * {f'EXCLUDE ({columns})' if columns else ''} FROM {table}"
    if table == "rollups":
        key = "board, build, clock, kind, name, bucket, date"
        query = f"SELECT {key}, sum(count) AS count, sum(sum_us) AS sum_us FROM rollups GROUP BY ALL"
    return sorted(Store(store).query(query), key=repr)


def assert_same_stores(store: Path, other: Path) -> None:
    """Both hold the same rows."""
    for table in TABLES:
        found, expected = rows(store, table), rows(other, table)
        assert expected, f"{table}: nothing to compare"
        assert len(found) == len(expected), table
        differing = [(a, b) for a, b in zip(found, expected, strict=True) if a != b]
        assert not differing, f"{table}: {len(differing)} rows differ, the first: {differing[0]}"


def parameters() -> Iterator[dict[str, Any]]:
    """Values for all parameters of the questions."""
    everything = {
        "board": None,
        "build": None,
        "since": datetime.date(1970, 1, 1),
        "until": datetime.date(9999, 12, 31),
        "kind": None,
        "by_board": True,
        "by_build": True,
        "least_us": 1000.0,
        "most": 1000,
    }
    everything |= {"all_since": everything["since"], "all_until": everything["until"]}
    for side, build in (("base", "build-000"), ("new", "build-001")):
        everything |= {f"{side}_board": None, f"{side}_build": build, f"{side}_clock": None}
        everything |= {f"{side}_since": everything["since"], f"{side}_until": everything["until"]}
    yield everything
    some = {"board": "stepping", "build": "build-001", "kind": "initcall", "by_board": False, "by_build": False, "most": 7}
    yield everything | some | {"since": datetime.date(2026, 1, 2), "until": datetime.date(2026, 1, 3), "base_board": "slow"}


def choose(store: Store) -> None:
    """Boots for the questions about chosen ones."""
    query = "SELECT boot_id, board, build, date FROM boots WHERE board IN ('slow', 'stepping', 'odd') ORDER BY boot_id"
    found = enumerate(store.sql(query))
    chosen = [(row["boot_id"], row["board"], row["build"], "base" if i % 2 else "new", row["date"]) for i, row in found]
    assert len(chosen) > 2
    store.choose_boots(chosen)


def assert_same_answers(store: Store, other: Store) -> None:
    """Both engines give the same rows for every question."""
    choose(store)
    choose(other)
    answered = set()
    for given in parameters():
        for question in QUESTIONS:
            wanted = {name: given[name] for name in set(re.findall(r":([a-z_]+)", question_text(question)))}
            found, expected = store.ask(question, **wanted), other.ask(question, **wanted)
            assert len(found) == len(expected), question
            for a, b in zip(found, expected, strict=True):
                assert same(a, b), f"{question}: {a} instead of {b}"
            if expected:
                answered.add(question)
    # A question without rows shows nothing.
    assert answered == set(QUESTIONS)


def same(a: Row, b: Row) -> bool:
    """Equal to the last bit, but for sums of floating-point numbers, which have no order."""

    def same_value(x: Any, y: Any) -> bool:
        return x == y or (isinstance(x, float) and isinstance(y, float) and abs(x - y) <= 1e-12 * abs(y))

    return list(a) == list(b) and all(same_value(x, y) for x, y in zip(a.values(), b.values(), strict=True))
