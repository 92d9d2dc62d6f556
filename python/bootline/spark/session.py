# SPDX-License-Identifier: MIT OR Apache-2.0
"""A Spark of one's own: on this machine, or on a cluster."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..fleet.store import EngineError, StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: What the results depend on, and what small inputs need. What a user states comes later, and wins.
SETTINGS = {
    "spark.app.name": "bootline-spark",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # A log is small, and takes far longer to read than to open: by default, Spark counts 4 MB for the opening, and makes tasks of
    # 32 logs.
    "spark.sql.files.openCostInBytes": "64k",
    # Of these rows one is a whole log: 10,000 of them, the default, would be gigabytes.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16",
    "spark.ui.enabled": "false",
}


@contextmanager
def session(master: str | None, settings: Mapping[str, str]) -> Iterator[SparkSession]:
    """Starts Spark, and stops it at the end; one that runs already stays. Without a master: spark-defaults.conf, else this machine."""
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as e:
        raise EngineError("the engine is missing: Spark", "install it: `pip install 'bootline[spark]'`; it needs Java 17 or newer") from e
    # Executors on this machine run the same Python; on others it is whatever PYSPARK_PYTHON names there.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if "SPARK_LOCAL_IP" not in os.environ and not own_name_resolves():
        # Spark looks up the name of its machine, and does not start where nobody knows it, as in a bare chroot.
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder
    for name, value in {**SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    if master is not None:
        builder = builder.master(master)
    runs_already = SparkSession.getActiveSession() is not None
    try:
        spark = builder.getOrCreate()
    except (PySparkException, OSError) as e:
        raise StoreError(f"Spark did not start: {first_line(e)}", "does `java -version` show 17 or newer?") from e
    try:
        yield spark
    finally:
        if not runs_already:
            spark.stop()


def own_name_resolves() -> bool:
    """Whether this machine knows an address for its own name."""
    try:
        socket.gethostbyname(socket.gethostname())
    except OSError:
        return False
    return True


def first_line(error: BaseException) -> str:
    """What an error says, without the stack of the JVM."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
