# SPDX-License-Identifier: MIT OR Apache-2.0
"""The rows of a store (docs/store.md), as Arrow tables.

`StoreReader` reads one input as `bootline ingest` does, from a path or from bytes, and gives the rows of all tables:

>>> reader = StoreReader(path_pattern="{board}/{_}.cap", lab="home")
>>> with open("corpus/x86-6.12-2400/boot.cap", "rb") as file:
...     content = file.read()
>>> tables = reader.read("hdfs://logs/qemu/boot.cap", content, modified_us=1_795_493_442_000_000)
>>> {name: len(table) for name, table in tables.items() if name in ("boots", "builds", "files")}
{'boots': 1, 'builds': 0, 'files': 1}
>>> tables["boots"].column_names[:3], tables["boots"].column_names[-1]
(['boot_id', 'file_id', 'boot_index'], 'date')

The tables are `boots`, `spans`, `findings`, `measures`, `rollups`, `builds` and `files`, with the columns of docs/store.md in their order.
All but `builds` have a last column `date` (DATE): the partition that the row belongs to. `rollups` are those of this input: rows of the
same key add up. Each table is an Arrow stream by the PyCapsule interface, which pyarrow, pandas, polars and duckdb take without a copy:
`pyarrow.table(tables["boots"])`, `polars.DataFrame(tables["boots"])`.
"""

from ._bootline import StoreReader, Table, empty_tables

__all__ = ["StoreReader", "Table", "empty_tables"]
