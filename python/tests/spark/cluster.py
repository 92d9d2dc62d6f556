# SPDX-License-Identifier: MIT OR Apache-2.0
"""Ingest on a cluster of processes, of which some are killed: `make spark-test`. Too heavy for `make python-test`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fleet_of_boots import PATTERN, Logs, assert_same_answers, assert_same_stores, embedded, make_logs
from pyspark.sql import SparkSession

from bootline.fleet.store import Store
from bootline.spark.ingest import ingest
from bootline.spark.reading import ReaderOptions
from bootline.spark.session import session
from bootline.spark.store import SparkStore

pytestmark = pytest.mark.filterwarnings("default")

OPTIONS = ReaderOptions(path_pattern=PATTERN)
#: Many small tasks, so that there is a middle to be killed in.
SETTINGS = {
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.files.maxPartitionBytes": "256k",
    "spark.ui.showConsoleProgress": "false",
    "spark.executor.memory": "1g",
}
EXECUTOR = b"org.apache.spark.executor.CoarseGrainedExecutorBackend"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    return make_logs(tmp_path_factory.mktemp("cluster") / "logs", builds=10, boots=3, captures=100)


@pytest.fixture(scope="module")
def embedded_store(ingest_command: Path, logs: Logs) -> Path:
    store = logs.folder.parent / "embedded"
    assert embedded(ingest_command, logs.folder, store).returncode == 3
    return store


@pytest.fixture
def cluster() -> Iterator[SparkSession]:
    with session("local-cluster[2,1,1024]", SETTINGS) as started:
        yield started


def processes() -> dict[int, tuple[int, bytes]]:
    """All processes: their parents and command lines."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                found[int(entry.name)] = (parent, (entry / "cmdline").read_bytes())
            except OSError:
                continue
    return found


def executors_of(pid: int) -> list[int]:
    """The executors that a process has started, itself or through others."""
    known = processes()

    def descends(one: int) -> bool:
        while one in known:
            one = known[one][0]
            if one == pid:
                return True
        return False

    # The shell scripts that start them name the class, too.
    return sorted(one for one, (_, line) in known.items() if EXECUTOR in line and b"java" in line.split(b"\0")[0] and descends(one))


def wait_for(what: Callable[[], object], process: subprocess.Popen[bytes] | None = None) -> None:
    end = time.monotonic() + 600
    while not what():
        assert time.monotonic() < end, "it did not happen"
        assert process is None or process.poll() is None, "it ended before"
        time.sleep(0.01)


def begun(store: Path, folder: str) -> list[Path]:
    """Files that executors have finished in a folder of the batch, whether or not their task is committed."""
    return list((store / "_bootline/writing").glob(f"*/{folder}/**/*.parquet"))


def test_a_killed_executor_changes_nothing(cluster: SparkSession, logs: Logs, embedded_store: Path) -> None:
    store = logs.folder.parent / "store"
    driver = cluster.sparkContext._gateway.proc.pid  # type: ignore[union-attr]
    killed: list[tuple[int, int]] = []

    def kill() -> None:
        wait_for(lambda: len(begun(store, "read")) > 1)
        victim = executors_of(driver)[0]
        os.kill(victim, signal.SIGKILL)
        killed.append((victim, len(begun(store, "boots"))))

    killer = threading.Thread(target=kill)
    killer.start()
    done = ingest(cluster, [str(logs.folder)], store, OPTIONS)
    killer.join()
    assert [tables for _, tables in killed] == [0], "an executor was killed while inputs were read"
    assert (done.found, sum(done.inputs.values()), done.changed) == (logs.inputs, logs.contents, 0)
    assert_same_stores(store, embedded_store)
    assert_same_answers(SparkStore(cluster, str(store)), Store(embedded_store))


@pytest.mark.parametrize("moment", ["hashed", "read", "boots"])
def test_a_killed_driver_leaves_nothing_half_done(
    moment: str, logs: Logs, embedded_store: Path, tmp_path: Path, ingest_command: Path
) -> None:
    store = tmp_path / "store"
    settings = [f"--conf={name}={value}" for name, value in SETTINGS.items()]
    command = [sys.executable, "-m", "bootline.spark.command", "ingest", logs.folder, store, "--path-pattern", PATTERN]
    driver = subprocess.Popen([*map(str, command), "--master", "local[2]", *settings], start_new_session=True)
    wait_for(lambda: begun(store, moment), driver)
    # With its JVM and the workers of that: all are of its session.
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    assert Store(store).sql("SELECT count(*) AS n FROM files")[0]["n"] == 0
    # The next writer removes what it had begun, and stores all.
    assert embedded(ingest_command, logs.folder, store).returncode == 3
    assert not list((store / "_bootline").glob("*/*"))
    assert_same_stores(store, embedded_store)
