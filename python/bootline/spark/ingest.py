# SPDX-License-Identifier: MIT OR Apache-2.0
"""Stores boots as a job of Spark: what executors read goes to a folder of the batch, and the driver commits it in one step.

1. The driver begins a batch of the store (decision 0014).
2. Executors hash all inputs; those that the store doesn't hold are new, one of each content.
3. They read the new ones, and write what they read to the batch, as it comes (`reading`).
4. From that they write the tables: partitioned by date, sorted, with rollups added up.
5. The driver claims all inputs, leaves out what others have added meanwhile, and commits.

Killed before the last step, whoever opens the store next removes the batch. Executors that die are Spark's: it runs their tasks again, and
takes what one of the attempts has written.
"""

from __future__ import annotations

import datetime
import hashlib
import math
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from .. import __version__
from .._bootline import StoreBatch, unreadable_input
from .reading import INPUT, ReaderOptions, reading, wide_schema
from .tables import DATE, ORDER, SUMS, arrow_schemas, spark_schema

#: What describes the input next to it.
SIDECAR = ".meta.json"
#: The greatest content that Spark puts in a row, in bytes.
LARGEST = 2**31 - 1024
TOO_LARGE = "too large for Spark, which holds an input in memory: store it with `bootline ingest`"
NOT_READ = "Spark can't read it"
#: Rows of a file of a table.
ROWS_OF_FILE = 2_000_000
#: The folder of what executors have read; not a part of the store.
READ = "read"
#: How hard files are packed: as `bootline ingest` does.
PACKING = {
    "compression": "zstd",
    "parquet.compression.codec.zstd.level": "6",
    # Numbers that differ from row to row get delta encoding.
    "parquet.writer.version": "PARQUET_2_0",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}
#: Time between two looks whether other writers are done, in seconds.
PAUSE = 0.2
#: A message, as the command shows it.
Say = Callable[[str], None]


@dataclass(frozen=True)
class Ingested:
    """What became of the inputs."""

    found: int
    stored_before: int
    #: Inputs by what became of them, as in `files.status`.
    inputs: dict[str, int]
    boots: int
    spans: int
    #: Inputs that were changed while they were read: the next run stores them.
    changed: int
    #: One that is damaged or can't be read, and why.
    first_problem: str | None


def ingest(spark: SparkSession, sources: Sequence[str], store: Path, options: ReaderOptions, say: Say = lambda _: None) -> Ingested:
    """Stores all inputs in files, folders, patterns and URLs."""
    options.reader()
    batch = StoreBatch(store)
    try:
        return Job(spark, sources, store.resolve(), options, say).run(batch)
    finally:
        batch.close()


class Job:
    """One run."""

    def __init__(self, spark: SparkSession, sources: Sequence[str], store: Path, options: ReaderOptions, say: Say) -> None:
        self.spark, self.sources, self.store, self.options, self.say = spark, list(sources), store, options, say
        self.schemas = arrow_schemas()
        reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
        reader = reader.option("ignoreCorruptFiles", "true").option("ignoreMissingFiles", "true")
        # Listed once: what comes later is the next run's.
        self._files = reader.load(self.sources).withColumn("path", plain("path"))

    def run(self, batch: StoreBatch) -> Ingested:
        folder = batch.folder
        listed = self.listed()
        self.say("hashing")
        hashed = self.kept(self.hashed(), folder / "hashed")
        known = self.spark.read.schema(spark_schema(self.schemas["files"])).parquet(f"{self.store}/files")
        new = hashed.join(known.where("sha256 IS NOT NULL").select("sha256").distinct(), "sha256", "left_anti")
        # Of several with the same content the first.
        new = new.groupBy("sha256").agg(f.min_by(f.struct("path", "modified_us"), "path").alias("first")).select("sha256", "first.*")
        new = self.kept(new, folder / "new")
        count = new.count()
        empty = self.empty(listed)
        bare = unknown(empty[:1] + self.unreadable(listed, hashed), known)
        found, hashes = listed.count() + len(empty), hashed.count() + len(empty)
        self.say(f"reading {count + len(bare)} new inputs")
        wide = self.kept(self.read(new), folder / READ)
        self.say("writing the tables")
        self.write(wide, bare, folder)
        added = self.hold(batch)
        files = wide.where("files IS NOT NULL").select(INPUT, "files.path", "files.status", "files.problem")
        read = {row[INPUT] for row in files.select(INPUT).collect()}
        others = added & (read | {one.input for one in bare})
        if others:
            self.say(f"leaving out {len(others)} inputs that others have stored meanwhile")
            is_ours = ~f.col(INPUT).isin(sorted(others))
            wide, files = wide.where(is_ours), files.where(is_ours)
            bare = [one for one in bare if one.input not in others]
            self.write(wide, bare, folder)
        told = [(row["path"], row["status"], row["problem"]) for row in files.collect()]
        told += [(one.row["path"], one.row["status"], one.row["problem"]) for one in bare]
        totals = wide.agg(f.count("boots.boot_id").alias("boots"), f.count("spans.boot_id").alias("spans")).first()
        assert totals is not None
        batch.commit(sorted(read - others) + [one.input for one in bare])
        statuses = Counter(status for _, status, _ in told)
        problems = [f"{path}: {problem}" for path, status, problem in told if status in ("damaged", "unreadable")]
        return Ingested(
            found=found,
            # An unreadable input has no content that could have been stored.
            stored_before=hashes - (count - len(read)) - len(told) + statuses["unreadable"],
            inputs=dict(sorted(statuses.items())),
            boots=totals["boots"],
            spans=totals["spans"],
            changed=count - len(read),
            first_problem=min(problems, default=None),
        )

    def files(self) -> DataFrame:
        """All files: path, modificationTime, length, content. What can't be read is left out where its content is asked for."""
        return self._files

    def candidates(self) -> DataFrame:
        """The files that are inputs."""
        path = f.col("path")
        return self.files().where(~path.endswith(SIDECAR) & ~path.startswith(f"{self.store}/"))

    def listed(self) -> DataFrame:
        return self.candidates().select("path", modified(), "length")

    def hashed(self) -> DataFrame:
        return self.candidates().where(f.col("length") <= LARGEST).select("path", modified(), f.sha2("content", 256).alias("sha256"))

    def kept(self, frame: DataFrame, folder: Path) -> DataFrame:
        """A result that is not made twice."""
        frame.write.parquet(str(folder), compression="zstd")
        return self.spark.read.schema(frame.schema).parquet(str(folder))

    def read(self, new: DataFrame) -> DataFrame:
        """The wide table of the new inputs."""
        sidecars = self.files().where(f.col("path").endswith(SIDECAR))
        stem = f.expr(f"left(path, length(path) - {len(SIDECAR)})")
        sidecars = sidecars.select(stem.alias("path"), f.col("content").alias("sidecar"))
        wanted = new.join(sidecars, "path", "left")
        content = self.files().where(f.col("length") <= LARGEST).select("path", "content")
        # Broadcast: contents don't move.
        inputs = content.join(f.broadcast(wanted), "path").select("path", "modified_us", "sha256", "sidecar", "content")
        return inputs.mapInArrow(reading(self.options), spark_schema(wide_schema()))

    def empty(self, listed: DataFrame) -> list[BareFile]:
        """The files without content, in order: Spark lists them, but makes no rows of them."""
        names = {unquote(name) for name in self._files.inputFiles()}
        # Hadoop writes file:/ and file:///.
        names = {re.sub("^file:/+", "/", name) for name in names}
        names = {name for name in names if not name.endswith(SIDECAR) and not name.startswith(f"{self.store}/")}
        if len(names) == listed.count():
            return []
        names -= {row["path"] for row in listed.select("path").collect()}
        return [empty_file(self.options, name) for name in sorted(names)]

    def unreadable(self, listed: DataFrame, hashed: DataFrame) -> list[BareFile]:
        """The inputs whose content Spark could not read."""
        missing = listed.join(hashed.select("path"), "path", "left_anti").orderBy("path").collect()
        return [unreadable_file(row["path"], row["modified_us"], row["length"] > LARGEST) for row in missing]

    def hold(self, batch: StoreBatch) -> set[str]:
        """Excludes other writers; returns what they have added."""
        told = False
        while (added := batch.try_hold()) is None:
            if not told:
                self.say("waiting for other writers to finish what they have begun")
                told = True
            time.sleep(PAUSE)
        return set(added)

    def write(self, wide: DataFrame, bare: Sequence[BareFile], folder: Path) -> None:
        """Writes the tables, again if inputs are to be left out."""
        today = f.lit(datetime.datetime.now(datetime.timezone.utc).date())
        rows = wide.agg(*(f.count(f.col(f"{name}.{always(of)}")).alias(name) for name, of in self.schemas.items())).first()
        assert rows is not None
        for name in ORDER:
            table = wide.where(f.col(name).isNotNull()).select(f"{name}.*", DATE)
            if name == "rollups":
                key = [column for column in table.columns if column not in SUMS]
                table = table.groupBy(*key).agg(*(f.sum(column).alias(column) for column in SUMS))
            if name == "files":
                # By the day of the commit, as `bootline ingest` has it.
                table = table.drop(DATE).withColumn(DATE, today)
                table = table.unionByName(self.rows_of(bare).withColumn(DATE, today))
            self.write_table(name, table, rows[name], folder)
        self.write_builds(wide, folder)

    def write_table(self, name: str, table: DataFrame, rows: int, folder: Path) -> None:
        """Writes a table's files: each of about as many rows, and of one range of the order."""
        schema = spark_schema(self.schemas[name])
        columns = [f.col(field.name) if field.nullable else present(field.name) for field in schema]
        table = table.select(*(column.cast(field.dataType).alias(field.name) for column, field in zip(columns, schema, strict=True)))
        order = [DATE, *ORDER[name]]
        table = table.repartitionByRange(max(1, math.ceil(rows / ROWS_OF_FILE)), *order).sortWithinPartitions(*order)
        table.write.mode("overwrite").partitionBy(DATE).options(**PACKING).parquet(str(folder / name))

    def write_builds(self, wide: DataFrame, folder: Path) -> None:
        """Writes one file per build, on the driver: builds are few. The last row that describes the build beyond its name wins."""
        schema = self.schemas["builds"]
        columns = [name for name in schema.names if name != "build"]
        rows = wide.where("builds IS NOT NULL").join(self.named(wide), INPUT).select("builds.*", "path")
        says_something = f.greatest(*(f.col(column).isNotNull() for column in columns))
        last = f.max_by(f.struct(*schema.names), f.struct(says_something, "path"))
        found = rows.groupBy("build").agg(last.alias("said")).select("said.*").collect()
        target = folder / "builds"
        target.mkdir(exist_ok=True)
        for part in target.iterdir():
            part.unlink()
        for row in found:
            said = row.asDict()
            name = hashlib.sha256(said["build"].encode()).hexdigest()[:32]
            ending = ".bare.parquet" if all(said[column] is None for column in columns) else ".parquet"
            if said["start_time"] is not None:
                said["start_time"] = said["start_time"].astimezone(datetime.timezone.utc)
            table = pa.Table.from_pylist([said], schema=schema.with_metadata({"bootline-store": "1"}))
            pq.write_table(table, target / f"{name}{ending}", compression="zstd", store_schema=False)

    def named(self, wide: DataFrame) -> DataFrame:
        return wide.where("files IS NOT NULL").select(INPUT, "files.path")

    def rows_of(self, bare: Sequence[BareFile]) -> DataFrame:
        """Their rows of `files`."""
        schema = pa.schema([field for field in self.schemas["files"] if field.name != DATE])
        return self.spark.createDataFrame([tuple(one.row.get(name) for name in schema.names) for one in bare], spark_schema(schema))


@dataclass(frozen=True)
class BareFile:
    """An input of which Spark makes no row: there is nothing to read, or it can't be read."""

    input: str
    #: Of `files`.
    row: dict[str, Any]


def empty_file(options: ReaderOptions, path: str) -> BareFile:
    """A file without content."""
    modified_us = os.stat(path).st_mtime_ns // 1_000_000 * 1_000 if path.startswith("/") else None
    (row,) = pa.table(options.reader().read(path, b"", modified_us=modified_us)["files"]).to_pylist()
    return BareFile(row["sha256"], row)


def unreadable_file(path: str, modified_us: int, is_large: bool) -> BareFile:
    """A file whose content can't be had."""
    problem = TOO_LARGE if is_large else NOT_READ
    content, file_id = unreadable_input(path, problem)
    row = {
        "file_id": file_id,
        "path": path,
        "modified": datetime.datetime.fromtimestamp(modified_us / 1e6, datetime.timezone.utc),
        "status": "unreadable",
        "problem": problem,
        "boots": 0,
        "ingested_at": datetime.datetime.now(datetime.timezone.utc),
        "bootline_version": __version__,
    }
    return BareFile(content, row)


def unknown(bare: Sequence[BareFile], known: DataFrame) -> list[BareFile]:
    """Those that the store doesn't have."""
    if not bare:
        return []
    ids = [one.row["file_id"] for one in bare]
    stored = {row["file_id"] for row in known.where(f.col("file_id").isin(ids)).select("file_id").collect()}
    return [one for one in bare if one.row["file_id"] not in stored]


def always(schema: pa.Schema) -> str:
    """A column that each row has."""
    return str(next(field.name for field in schema if not field.nullable))


def plain(column: str) -> Column:
    """A path as `bootline ingest` has it: of a file here without `file:`."""
    return f.regexp_replace(column, "^file:/+", "/")


def modified() -> Column:
    """When a file was last modified, in microseconds since 1970."""
    return f.unix_micros("modificationTime").alias("modified_us")


def present(column: str) -> Column:
    """A column that is never null, and that Spark knows not to be: it is checked."""
    value = f.col(column)
    checked = f.when(value.isNull(), f.raise_error(f.lit(f"{column} is null"))).otherwise(value)
    return f.coalesce(checked, default(column))


def default(column: str) -> Column:
    """Any value of the column's type; never stored."""
    types = {field.name: field.dataType for schema in arrow_schemas().values() for field in spark_schema(schema)}
    return {
        "string": f.lit(""),
        "boolean": f.lit(False),
        "double": f.lit(0.0),
        "timestamp": f.timestamp_micros(f.lit(0)),
        "date": f.lit(datetime.date(1970, 1, 1)),
    }.get(types[column].simpleString(), f.lit(0))
