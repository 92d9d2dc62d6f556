# SPDX-License-Identifier: MIT OR Apache-2.0
"""Opens a store: its tables as views of an embedded engine."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

TABLES = ("boots", "spans", "findings", "measures", "builds", "rollups", "files")
#: The columns that are instants.
INSTANTS = {"boots": ("start_time",), "builds": ("start_time",), "files": ("modified", "ingested_at")}
#: The contract that this package reads: docs/store.md.
CONTRACT = "bootline-store/1"

Row = dict[str, Any]


class StoreError(Exception):
    """Why a store can't be asked; `hint` says what to do."""

    def __init__(self, words: str, hint: str | None = None):
        super().__init__(words)
        self.hint = hint


class Store:
    """A store, opened to be asked.

    >>> Store("no-such-folder")
    Traceback (most recent call last):
    ...
    bootline.fleet.store.StoreError: `no-such-folder` is no store: it has no `_bootline/version`
    """

    def __init__(self, path: str | Path, threads: int | None = None):
        self.path = Path(path)
        check(self.path)
        try:
            import duckdb
        except ImportError as e:
            raise StoreError("the engine is missing: DuckDB", "pip install 'bootline[fleet]'") from e
        self._errors: type[Exception] = duckdb.Error
        config: dict[str, Any] = {"threads": threads} if threads else {}
        self._connection = duckdb.connect(config=config)
        self._connection.execute("SET TimeZone = 'UTC'")
        for table in TABLES:
            # All are of UTC, and Python has no time zones that DuckDB would take without another library.
            utc = ", ".join(f"CAST({column} AS TIMESTAMP) AS {column}" for column in INSTANTS.get(table, ()))
            replaced = f" REPLACE ({utc})" if utc else ""
            self._connection.execute(f"CREATE VIEW {table} AS SELECT *{replaced} FROM {parquet(self.path, table)}")

    def ask(self, question: str, **parameters: Any) -> list[Row]:
        """The rows that answer a question of `questions/`, as one dict each."""
        text = question_text(question)
        # DuckDB writes a parameter as $name.
        names = set(re.findall(r":([a-z_]+)", text))
        given = {name: parameters[name] for name in names}
        return self.sql(re.sub(r":([a-z_]+)", r"$\1", text), given)

    def sql(self, text: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """The rows of any statement over the tables."""
        columns, rows = self.rows(text, parameters)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def rows(self, text: str, parameters: Mapping[str, Any] | None = None) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The same, with the columns' names apart."""
        try:
            result = self._connection.execute(text, dict(parameters or {}))
            if result.description is None:
                return [], []
            return [column[0] for column in result.description], result.fetchall()
        except self._errors as e:
            raise StoreError(str(e)) from e

    def choose(self, query: str, parameters: Sequence[Any] = ()) -> None:
        """Makes the rows of a query the view `chosen`, which some questions are about."""
        try:
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE chosen AS {query}", list(parameters))
        except self._errors as e:
            raise StoreError(str(e)) from e


def check(path: Path) -> None:
    """Refuses what is no store of this version."""
    try:
        found = (path / "_bootline" / "version").read_text().strip()
    except FileNotFoundError:
        raise StoreError(f"`{path}` is no store: it has no `_bootline/version`", "bootline ingest LOGS -o STORE makes one") from None
    except (OSError, UnicodeDecodeError) as e:
        raise StoreError(f"can't read `{path}`: {e}") from e
    if found != CONTRACT:
        raise StoreError(f"`{path}` is a store of version `{found[:40]}`; this reads `{CONTRACT}`", "use the bootline that wrote it")


def parquet(path: Path, table: str) -> str:
    """What DuckDB reads a table from."""
    quoted = str(path).replace("'", "''")
    if table == "builds":
        return f"read_parquet('{quoted}/builds/*.parquet', union_by_name = true)"
    return (
        f"read_parquet('{quoted}/{table}/*/*.parquet', hive_partitioning = true, "
        "hive_types = {'date': DATE}, union_by_name = true)"
    )


def question_text(question: str) -> str:
    """The SQL of a question."""
    return resources.files(__package__).joinpath("questions", f"{question}.sql").read_text()


#: The days between which everything lies.
FIRST_DAY = datetime.date(1970, 1, 1)
LAST_DAY = datetime.date(9999, 12, 31)
