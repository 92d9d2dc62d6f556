# SPDX-License-Identifier: MIT OR Apache-2.0
"""Ingest and questions by Spark on this machine, against the embedded engine. `make spark-test` does it on a cluster, with kills."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fleet_of_boots import PATTERN, Logs, assert_same_answers, assert_same_stores, embedded, make_logs, rows
from pyspark.sql import SparkSession

from bootline._bootline import StoreBatch
from bootline.fleet.store import Store, StoreError, UsageError
from bootline.spark.command import main
from bootline.spark.ingest import Ingested, Job, ingest
from bootline.spark.reading import ReaderOptions
from bootline.spark.session import session
from bootline.spark.store import SparkStore
from bootline.spark.tables import ORDER, arrow_schemas

# Of pyspark's and py4j's own.
pytestmark = pytest.mark.filterwarnings("default")

OPTIONS = ReaderOptions(path_pattern=PATTERN)
SMALL = {"spark.sql.shuffle.partitions": "2", "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "1g"}


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with session("local[2]", SMALL) as started:
        yield started


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    return make_logs(tmp_path_factory.mktemp("spark") / "logs", builds=7, boots=1, captures=3)


@pytest.fixture(scope="module")
def ingested(spark: SparkSession, logs: Logs) -> tuple[Path, Ingested]:
    store = logs.folder.parent / "store"
    return store, ingest(spark, [str(logs.folder)], store, OPTIONS)


@pytest.fixture(scope="module")
def embedded_store(ingest_command: Path, logs: Logs) -> Path:
    store = logs.folder.parent / "embedded"
    done = embedded(ingest_command, logs.folder, store)
    assert done.returncode == 3, done.stderr
    return store


def test_a_machine_may_not_know_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise OSError(f"{name} is unknown")

    monkeypatch.setattr("socket.gethostbyname", unknown)
    # Set first, so that it is as before afterwards.
    monkeypatch.setenv("SPARK_LOCAL_IP", "")
    monkeypatch.delenv("SPARK_LOCAL_IP")
    with session("local[2]", SMALL):
        assert os.environ["SPARK_LOCAL_IP"] == "127.0.0.1"


def test_the_rows_are_those_of_ingest(ingested: tuple[Path, Ingested], embedded_store: Path, logs: Logs) -> None:
    store, done = ingested
    assert (done.found, sum(done.inputs.values()), done.changed) == (logs.inputs, logs.contents, 0)
    assert done.inputs["damaged"] == 1
    assert done.first_problem is not None
    assert "cut.log.gz" in done.first_problem
    assert_same_stores(store, embedded_store)


def test_the_answers_are_those_of_the_embedded_engine(spark: SparkSession, ingested: tuple[Path, Ingested], embedded_store: Path) -> None:
    assert_same_answers(SparkStore(spark, str(ingested[0])), Store(embedded_store))


def test_what_is_stored_is_not_stored_again(
    spark: SparkSession, ingested: tuple[Path, Ingested], embedded_store: Path, logs: Logs, ingest_command: Path
) -> None:
    store, _ = ingested
    again = ingest(spark, [f"{logs.folder}/lab-0", f"{logs.folder}/*.cap"], store, OPTIONS)
    assert (again.boots, again.inputs) == (0, {})
    assert again.stored_before == again.found > 0
    assert_same_stores(store, embedded_store)
    # Neither by the other program.
    other = embedded(ingest_command, logs.folder, store)
    assert f"{logs.inputs} were there before" in other.stderr, other.stderr
    assert_same_stores(store, embedded_store)


def test_files_keep_the_contract(ingested: tuple[Path, Ingested]) -> None:
    store, _ = ingested
    for table, schema in arrow_schemas().items():
        written = [path for path in (store / table).rglob("*.parquet") if path.name != "empty.parquet"]
        assert written, table
        expected = [(field.name, field.type, field.nullable) for field in schema if field.name != "date"]
        for path in written:
            file = pq.ParquetFile(path)
            assert [(field.name, field.type, field.nullable) for field in file.schema_arrow] == expected, path
            group = file.metadata.row_group(0)
            assert {group.column(i).compression for i in range(group.num_columns)} == {"ZSTD"}
            if table in ORDER:
                read = file.read(columns=[*ORDER[table]]).select([*ORDER[table]]).to_pylist()
                keys = [tuple((value is not None, value) for value in row.values()) for row in read]
                assert keys == sorted(keys), path
    assert not list((store / "_bootline").glob("*/*")), "nothing is left of the batches"
    assert not [path for path in store.rglob("*") if path.is_file() and path.suffix != ".parquet" and path.parent.name != "_bootline"]


def test_what_others_store_meanwhile_is_left_out(
    spark: SparkSession, logs: Logs, embedded_store: Path, ingest_command: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, hold = tmp_path / "store", Job.hold

    def hold_late(job: Job, batch: StoreBatch) -> set[str]:
        half = embedded(ingest_command, logs.folder / "lab-0", store)
        assert half.returncode == 0, half.stderr
        return hold(job, batch)

    monkeypatch.setattr(Job, "hold", hold_late)
    done = ingest(spark, [str(logs.folder)], store, OPTIONS)
    assert done.stored_before > 0
    assert done.boots > 0
    assert done.changed == 0
    assert len(rows(store, "files")) == logs.contents
    for table in ("boots", "spans", "findings", "measures", "builds", "rollups"):
        assert rows(store, table) == rows(embedded_store, table), table


def test_a_file_that_grows_is_left_to_the_next_run(
    spark: SparkSession, logs: Logs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, store, read = tmp_path / "logs", tmp_path / "store", Job.read
    folder.mkdir()
    growing, whole = folder / "growing.log", next(logs.folder.glob("lab-0/slow/*/*.log")).read_bytes()
    growing.write_bytes(whole[: len(whole) // 2])
    shutil.copy(logs.folder / "notes.txt", folder)

    def read_late(job: Job, new: object) -> object:
        growing.write_bytes(whole)
        return read(job, new)  # type: ignore[arg-type]

    monkeypatch.setattr(Job, "read", read_late)
    first = ingest(spark, [str(folder)], store, OPTIONS)
    assert (first.boots, first.changed, first.inputs) == (0, 1, {"no-boot": 1})
    monkeypatch.undo()
    second = ingest(spark, [str(folder)], store, OPTIONS)
    assert (second.boots, second.changed, second.stored_before) == (1, 0, 1)


def test_a_batch_excludes_writers_at_its_end_only(logs: Logs, ingest_command: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    batch = StoreBatch(store)
    assert embedded(ingest_command, logs.folder / "lab-0", store).returncode == 0
    added = batch.try_hold()
    assert added is not None
    assert len(added) == len(rows(store, "files")) > 0
    writer = subprocess.Popen([ingest_command, "--quiet", logs.folder / "three.tar.gz", "-o", store])
    with pytest.raises(subprocess.TimeoutExpired):
        writer.wait(1)
    # Nothing of it is left, and the writer goes on.
    batch.close()
    assert writer.wait() == 0
    assert not list((store / "_bootline").glob("*/*"))
    with pytest.raises(ValueError, match="closed"):
        batch.commit([])


def test_the_command(ingested: tuple[Path, Ingested], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "no-such-store"]) == 3
    assert "is not a store" in capsys.readouterr().err
    with pytest.raises(SystemExit) as refused:
        main(["ingest", "only-one"])
    assert refused.value.code == 2
    with pytest.raises(SystemExit):
        main(["ask", str(ingested[0]), "--conf", "nonsense"])
    assert "write it as spark.NAME=VALUE" in capsys.readouterr().err


def test_a_wrong_statement_is_a_usage_error(spark: SparkSession, ingested: tuple[Path, Ingested]) -> None:
    with pytest.raises(UsageError, match="nonsense"):
        SparkStore(spark, str(ingested[0])).query("SELECT nonsense FROM boots")


def test_what_spark_can_not_open(spark: SparkSession, ingested: tuple[Path, Ingested], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no statement"):
        SparkStore(spark, str(ingested[0])).query(" ")
    pattern = tmp_path / "a[b]" / "store"
    shutil.copytree(ingested[0], pattern)
    with pytest.raises(StoreError, match="for a pattern") as refused:
        SparkStore(spark, str(pattern))
    assert refused.value.status == 3
    shutil.rmtree(pattern / "boots")
    shutil.move(pattern, tmp_path / "half")
    with pytest.raises(StoreError, match="can't read"):
        SparkStore(spark, str(tmp_path / "half"))


def test_the_figures_of_the_document_were_measured(tmp_path: Path) -> None:
    document = tmp_path / "spark.md"
    shutil.copy("docs/spark.md", document)
    command = [sys.executable, "scripts/spark-bench", "--known", "docs/spark-bench.json", "--document", str(document)]
    subprocess.run(command, check=True, capture_output=True)
    assert document.read_text() == Path("docs/spark.md").read_text()
