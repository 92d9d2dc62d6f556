# SPDX-License-Identifier: MIT OR Apache-2.0
"""Opens a store to be asked by Spark SQL: the questions and their rows are those of the embedded engine."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from ..fleet.store import CONTRACT, INSTANTS, PARAMETER, Row, Rows, Store, StoreError, UsageError, check, question_text
from .session import first_line
from .tables import arrow_schemas, spark_schema

#: What Hadoop expands in paths.
PATTERN = re.compile(r"[*?\[\]{}\\]")
#: A URL: what Hadoop reads.
URL = re.compile(r"^[a-z][a-z0-9+.-]*://?")


class SparkRows(Rows):
    """The rows of a statement, one partition after the other."""

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame
        self.columns = frame.columns

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        try:
            yield from map(tuple, self._frame.toLocalIterator())
        except (PySparkException, Py4JError) as e:
            raise StoreError(first_line(e)) from e


class SparkStore(Store):
    """A store, opened to be asked by Spark. Its path may be a URL that this Spark reads: `s3a://`, `hdfs://`."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self.path = Path(path)
        self._spark = spark
        if URL.match(path):
            check_url(spark, path)
        else:
            check(self.path)
            path = str(self.path.resolve())
            if PATTERN.search(path):
                raise StoreError(f"Spark takes `{path}` for a pattern", "move the store to a path without `*?[]{}\\`")
        try:
            self._open(path)
        except (PySparkException, Py4JError) as e:
            raise StoreError(f"can't read `{path}`: {first_line(e)}") from e

    def _open(self, path: str) -> None:
        for table, schema in arrow_schemas().items():
            # The schema is the contract's: a file of an older version lacks columns, and no file has to be read to know them.
            frame = self._spark.read.schema(spark_schema(schema)).parquet(f"{path}/{table}")
            for column in INSTANTS.get(table, ()):
                # All are of UTC, the session's time zone. An instant of Spark would become one of Python's own time zone.
                frame = frame.withColumn(column, f.col(column).cast("timestamp_ntz"))
            frame.createOrReplaceTempView(table)

    def ask(self, question: str, **parameters: Any) -> list[Row]:
        text = question_text(question)
        return self._rows(text, {name: parameters[name] for name in set(PARAMETER.findall(text))})

    def sql(self, text: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        given = dict(parameters or {})
        return self._rows(spark_parameters(text, given), given)

    def query(self, text: str, parameters: Mapping[str, Any] | None = None) -> Rows:
        given = dict(parameters or {})
        return SparkRows(self._frame(spark_parameters(text, given), given))

    def choose_boots(self, boots: Sequence[tuple[int, str | None, str | None, str | None, datetime.date]]) -> None:
        schema = "boot_id BIGINT, board STRING, build STRING, side STRING, date DATE"
        self._spark.createDataFrame(list(boots), schema).createOrReplaceTempView("chosen")

    def _frame(self, text: str, parameters: dict[str, Any]) -> DataFrame:
        if not text.strip():
            raise UsageError("no statement")
        try:
            return self._spark.sql(text, args=parameters)
        except (ParseException, AnalysisException) as e:
            raise UsageError(first_line(e)) from e
        except (PySparkException, Py4JError) as e:
            raise StoreError(first_line(e)) from e

    def _rows(self, text: str, parameters: dict[str, Any]) -> list[Row]:
        frame = self._frame(text, parameters)
        try:
            return [dict(zip(frame.columns, row, strict=True)) for row in frame.collect()]
        except (PySparkException, Py4JError) as e:
            raise StoreError(first_line(e)) from e


def spark_parameters(text: str, parameters: Mapping[str, Any]) -> str:
    """A statement whose parameters are written as Spark wants them.

    >>> spark_parameters("SELECT * FROM boots WHERE board = $board AND job = '$5'", {"board": "rpi4"})
    "SELECT * FROM boots WHERE board = :board AND job = '$5'"
    """
    for name in parameters:
        text = re.sub(rf"\${name}\b", f":{name}", text)
    return text


def check_url(spark: SparkSession, url: str) -> None:
    """Refuses what is not a store of this version."""
    try:
        lines = spark.read.text(f"{url}/_bootline/version").head(1)
    except PySparkException as e:
        raise StoreError(f"`{url}` is not a store: {first_line(e)}", "bootline ingest LOGS -o STORE makes one") from e
    found = lines[0]["value"] if lines else ""
    if found != CONTRACT:
        raise StoreError(f"`{url}` is a store of version `{found[:40]}`; this reads `{CONTRACT}`", "use the bootline that wrote it")
