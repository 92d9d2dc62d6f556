# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tables of a store as Spark knows them: schemas, and the order of rows."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import types as t

from ..store import empty_tables

#: By what rows are sorted within a file, as docs/store.md has it. Spark and bootline order nulls first, and texts by their bytes.
ORDER = {
    "boots": ("board", "build", "boot_id"),
    "spans": ("board", "build", "clock", "kind", "name", "boot_id"),
    "findings": ("rule", "board", "build", "boot_id"),
    "measures": ("name", "board", "build", "boot_id"),
    "rollups": ("board", "build", "clock", "kind", "name", "bucket"),
    "files": ("path",),
}
#: The columns that rollups of the same key add up.
SUMS = ("count", "sum_us")
DATE = "date"


def arrow_schemas() -> dict[str, pa.Schema]:
    """The columns of each table, with the date of all but `builds` at the end."""
    return {name: pa.schema(table) for name, table in empty_tables().items()}


def spark_schema(schema: pa.Schema) -> t.StructType:
    """The same columns for Spark.

    >>> spark_schema(pa.schema([pa.field("n", pa.int64(), nullable=False), ("at", pa.timestamp("us", "UTC"))])).simpleString()
    'struct<n:bigint,at:timestamp>'
    """
    return t.StructType([t.StructField(field.name, spark_type(field.type), field.nullable) for field in schema])


def spark_type(arrow: pa.DataType) -> t.DataType:
    """The type of a column."""
    simple: dict[pa.DataType, t.DataType] = {
        pa.int64(): t.LongType(),
        pa.int32(): t.IntegerType(),
        pa.bool_(): t.BooleanType(),
        pa.float64(): t.DoubleType(),
        pa.string(): t.StringType(),
        pa.date32(): t.DateType(),
    }
    if pa.types.is_struct(arrow):
        return spark_schema(pa.schema(list(arrow)))
    if pa.types.is_timestamp(arrow) and arrow.unit == "us" and arrow.tz is not None:
        return t.TimestampType()
    return simple[arrow]
