# SPDX-License-Identifier: MIT OR Apache-2.0
"""Arrow tables of a store's rows: the same as `bootline ingest` stores, for all who take Arrow, without copies."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bootline._bootline import _panic
from bootline.errors import InternalError, UsageError
from bootline.store import StoreReader, Table, empty_tables

CORPUS = Path("corpus")
INPUTS = ["x86-6.12-2400/boot.cap", "x86-6.18-rt-9600-initcall/boot.cap"]


def rows(table: Table) -> list[dict[str, Any]]:
    found = pa.table(table).to_pylist()
    return sorted(found, key=lambda row: json.dumps(row, default=str))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of all that becomes of an input: stored with a sidecar, stored, damaged, without a boot."""
    root = Path(__file__).resolve().parents[2]
    logs = tmp_path_factory.mktemp("store") / "logs"
    for name in INPUTS:
        path = logs / "lab-a" / name
        path.parent.mkdir(parents=True)
        shutil.copy(root / CORPUS / name, path)
    sidecar = {"build": "v6.12-3", "git_commit_hash": "ab12", "measures": [{"name": "power", "value": 2.5, "unit": "W"}]}
    Path(f"{logs}/lab-a/{INPUTS[0]}.meta.json").write_text(json.dumps(sidecar))
    (logs / "notes.txt").write_text("no log at all\n")
    whole = subprocess.run(["gzip", "-c", logs / "lab-a" / INPUTS[0]], check=True, capture_output=True).stdout
    (logs / "cut.gz").write_bytes(whole[: len(whole) // 2])
    return logs


def stored(store: Path, table: str) -> list[dict[str, Any]]:
    partitioned = f"{store}/{table}/*.parquet" if table == "builds" else f"{store}/{table}/*/*.parquet"
    query = f"SELECT * FROM read_parquet('{partitioned}', hive_partitioning = true, union_by_name = true)"
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        found = connection.sql(query).to_arrow_table().to_pylist()
    return sorted(found, key=lambda row: json.dumps(row, default=str))


def test_the_rows_are_those_that_ingest_stores(logs: Path, ingest_command: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    pattern = "{lab}/{board}/boot.cap"
    command = [ingest_command, "--quiet", logs, "-o", store, "--path-pattern", pattern, "--device", "d1"]
    assert subprocess.run(command, check=False).returncode == 3, "one input is damaged"
    reader = StoreReader(path_pattern=pattern, device="d1")
    expected: dict[str, list[dict[str, Any]]] = {name: [] for name in empty_tables()}
    for path in sorted(p for p in logs.rglob("*") if p.is_file() and not p.name.endswith(".meta.json")):
        sidecar = Path(f"{path}.meta.json")
        by_path = reader.read(str(path))
        by_content = reader.read(
            str(path),
            path.read_bytes(),
            modified_us=path.stat().st_mtime_ns // 1000,
            sidecar=sidecar.read_bytes() if sidecar.exists() else None,
        )
        for name, table in by_content.items():
            found = rows(table)
            expected[name] += found
            assert without_ingest(found) == without_ingest(rows(by_path[name])), (path, name)
    for name in ("boots", "spans", "findings", "measures", "builds", "files"):
        found = [row for row in stored(store, name) if row.get("boot_id", 1) is not None]
        assert expected[name], name
        assert without_ingest(found) == without_ingest(sorted(expected[name], key=lambda row: json.dumps(row, default=str))), name
    # Of several inputs they add up.
    total = sum(row["count"] for row in expected["rollups"])
    assert total == sum(row["count"] for row in stored(store, "rollups"))


def without_ingest(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what depends on when and by whom they were ingested."""
    dropped = {"ingested_at", "bootline_version"}
    if found and "ingested_at" in found[0]:
        dropped.add("date")
    kept = [{name: value for name, value in row.items() if name not in dropped} for row in found]
    return sorted(kept, key=lambda row: json.dumps(row, default=str))


def test_schemas_are_the_same_with_and_without_rows() -> None:
    read = StoreReader().read(str(CORPUS / INPUTS[0]))
    empty = empty_tables()
    assert list(read) == list(empty)
    for name, table in empty.items():
        assert len(table) == 0
        assert pa.schema(table) == pa.table(read[name]).schema, name
        assert table.types == read[name].types


def test_everyone_takes_a_table() -> None:
    boots = StoreReader(board="qemu").read(str(CORPUS / INPUTS[0]))["boots"]
    assert pd.DataFrame.from_arrow(boots)["board"][0] == "qemu"  # type: ignore[attr-defined, unused-ignore]
    assert pl.DataFrame(boots)["board"][0] == "qemu"
    assert duckdb.sql("SELECT board FROM boots").fetchall() == [("qemu",)]


def test_consumers_share_the_columns() -> None:
    spans = StoreReader().read(str(CORPUS / INPUTS[1]))["spans"]
    assert len(spans) > 100

    def addresses() -> list[list[int | None]]:
        columns = pa.table(spans).columns
        return [[b.address if b else None for b in chunk.buffers()] for column in columns for chunk in column.chunks]

    assert addresses() == addresses()


def test_what_a_reader_refuses() -> None:
    with pytest.raises(UsageError, match="no field `bord`"):
        StoreReader(path_pattern="{bord}")
    with pytest.raises(UsageError, match="input_format"):
        StoreReader(input_format="no such format")


def test_an_input_that_can_not_be_read_is_a_row(tmp_path: Path) -> None:
    tables = StoreReader().read(str(tmp_path / "missing.cap"))
    (row,) = rows(tables["files"])
    assert row["status"] == "unreadable"
    assert "No such file" in row["problem"]
    assert [len(table) for name, table in tables.items() if name != "files"] == [0] * 6


def test_a_panic_is_an_exception() -> None:
    with pytest.raises(InternalError, match="as asked"):
        _panic()
