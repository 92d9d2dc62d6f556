# SPDX-License-Identifier: MIT OR Apache-2.0
"""What executors do: read inputs into rows of all tables, by the compiled reader of `bootline ingest`.

Spark's functions give one table, so that a row of any table travels as a row of one wide table: its input, its date, and a struct per
table, of which one is not null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from ..store import StoreReader
from .tables import DATE, arrow_schemas

#: Rows of a table that are handed over together, at least.
ROWS = 8192
#: Of the whole table: which input a row is of.
INPUT = "input"


@dataclass(frozen=True)
class ReaderOptions:
    """The options of `bootline ingest` that say how inputs are read."""

    path_pattern: str | None = None
    board: str | None = None
    device: str | None = None
    build: str | None = None
    lab: str | None = None
    job: str | None = None
    marker: str | None = None
    app: str | None = None
    input_format: str | None = None

    def reader(self) -> StoreReader:
        """The reader; refuses what it doesn't understand."""
        return StoreReader(**vars(self))


def structs() -> dict[str, pa.StructType]:
    """The type of each table's row, without its date."""
    return {name: pa.struct([field for field in schema if field.name != DATE]) for name, schema in arrow_schemas().items()}


def wide_schema() -> pa.Schema:
    """The columns of the wide table."""
    fields = [pa.field(INPUT, pa.string(), nullable=False), pa.field(DATE, pa.date32())]
    return pa.schema(fields + [pa.field(name, struct) for name, struct in structs().items()])


def reading(options: ReaderOptions) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Reads inputs (path, modified_us, sha256, sidecar, content) into the wide table."""

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        reader, rows = options.reader(), WideRows()
        for batch in batches:
            for i in range(batch.num_rows):
                path, modified_us, sha256, sidecar = (
                    batch.column(name)[i].as_py() for name in ("path", "modified_us", "sha256", "sidecar")
                )
                content = batch.column("content")[i].as_buffer().to_pybytes()
                tables = {
                    name: pa.table(table) for name, table in reader.read(path, content, modified_us=modified_us, sidecar=sidecar).items()
                }
                # It has changed since it was hashed: whatever it is now, the next run stores it.
                if tables["files"]["sha256"][0].as_py() != sha256:
                    continue
                for name, table in tables.items():
                    yield from rows.add(name, sha256, table)
        yield from rows.rest()

    return read


class WideRows:
    """Collects rows of the tables, and gives them as the wide table."""

    def __init__(self) -> None:
        self._schema = wide_schema()
        self._structs = structs()
        self._waiting: dict[str, list[tuple[str, pa.Table]]] = {name: [] for name in self._structs}
        self._rows = dict.fromkeys(self._structs, 0)

    def add(self, name: str, sha256: str, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """Adds an input's rows of a table; gives what is worth it."""
        if table.num_rows:
            self._waiting[name].append((sha256, table))
            self._rows[name] += table.num_rows
        if self._rows[name] >= ROWS:
            yield from self._given(name)

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Gives the rest."""
        for name in self._structs:
            yield from self._given(name)

    def _given(self, name: str) -> Iterator[pa.RecordBatch]:
        waiting, self._waiting[name], self._rows[name] = self._waiting[name], [], 0
        if not waiting:
            return
        inputs = pa.concat_arrays([pa.repeat(sha256, table.num_rows) for sha256, table in waiting])
        table = pa.concat_tables([table for _, table in waiting]).append_column(INPUT, inputs).combine_chunks()
        for batch in table.to_batches(max_chunksize=4 * ROWS):
            yield self._wide(name, batch)

    def _wide(self, name: str, batch: pa.RecordBatch) -> pa.RecordBatch:
        n = batch.num_rows
        columns = [batch.column(INPUT), batch.column(DATE) if DATE in batch.schema.names else pa.nulls(n, pa.date32())]
        for other, struct in self._structs.items():
            if other == name:
                columns.append(pa.StructArray.from_arrays([batch.column(field.name) for field in struct], fields=list(struct)))
            else:
                columns.append(pa.nulls(n, struct))
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)
