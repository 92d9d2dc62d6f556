# SPDX-License-Identifier: MIT OR Apache-2.0
"""Opens a store: its tables as views of an embedded engine."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

TABLES = ("boots", "spans", "findings", "measures", "builds", "rollups", "files")
#: The columns that are instants.
INSTANTS = {"boots": ("start_time",), "builds": ("start_time",), "files": ("modified", "ingested_at")}
#: The contract that this package reads: docs/store.md.
CONTRACT = "bootline-store/1"

#: A parameter of a question.
PARAMETER = re.compile(r":([a-z_]+)")
#: Paths in which DuckDB sees nothing but a path.
PLAIN = re.compile(r"/[^=*?\[\]{}\\]*")

Row = dict[str, Any]


class StoreError(Exception):
    """Why a store can't be asked; `hint` says what to do, `status` is the program's exit status."""

    status = 3

    def __init__(self, words: str, hint: str | None = None) -> None:
        super().__init__(words)
        self.hint = hint


class UsageError(StoreError):
    """A question that can't be asked like this; the store is fine."""

    status = 2


class EngineError(UsageError):
    """DuckDB is not installed."""


class Rows:
    """The rows of a statement, fetched as they are asked for."""

    def __init__(self, result: Any, errors: type[Exception], told: Callable[[Exception], StoreError]) -> None:
        self._result = result
        self._errors = errors
        self._told = told
        #: The names of the columns.
        self.columns: list[str] = [column[0] for column in result.description or []]

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        while self.columns:
            try:
                rows = self._result.fetchmany(10_000)
            except self._errors as e:
                raise self._told(e) from e
            if not rows:
                return
            yield from rows


class Store:
    """A store, opened to be asked.

    >>> Store("no-such-folder")
    Traceback (most recent call last):
    ...
    bootline.fleet.store.StoreError: `no-such-folder` is not a store: it has no `_bootline/version`
    """

    def __init__(self, path: str | Path, threads: int | None = None) -> None:
        self.path = Path(path)
        check(self.path)
        try:
            import duckdb
        except ImportError as e:
            raise EngineError("the engine is missing: DuckDB", "install it: `pip install 'bootline[fleet]'`") from e
        self._errors: type[Exception] = duckdb.Error
        self._asked_wrongly: tuple[type[Exception], ...] = (
            duckdb.ParserException,
            duckdb.SyntaxException,
            duckdb.BinderException,
            duckdb.CatalogException,
            duckdb.DataError,
        )
        # DuckDB starts as many threads as it is told, even where they don't fit into the machine.
        config: dict[str, Any] = {"threads": min(threads, os.cpu_count() or 1)} if threads else {}
        try:
            self._connection = duckdb.connect(config=config)
            self._connection.execute("SET TimeZone = 'UTC'")
            folder = self._plain_path()
            for table in TABLES:
                # All are of UTC, and Python has no time zones that DuckDB would take without another library.
                utc = ", ".join(f"CAST({column} AS TIMESTAMP) AS {column}" for column in INSTANTS.get(table, ()))
                replaced = f" REPLACE ({utc})" if utc else ""
                self._connection.execute(f"CREATE VIEW {table} AS SELECT *{replaced} FROM {parquet(folder, table)}")
        except duckdb.Error as e:
            raise StoreError(f"can't read `{self.path}`: {e}") from e

    def _plain_path(self) -> Path:
        """A path of the store in which DuckDB sees neither patterns nor, in a folder like `board=x` above the store, columns."""
        path = self.path.absolute()
        if PLAIN.fullmatch(str(path)):
            return path
        try:
            folder = tempfile.mkdtemp(prefix="bootline-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            link = Path(folder).absolute() / "store"
            link.symlink_to(path, target_is_directory=True)
        except OSError as e:
            raise StoreError(f"can't link to `{self.path}` from a temporary folder: {e}", "move the store to a plain path") from e
        if not PLAIN.fullmatch(str(link)):
            raise StoreError(f"the temporary folder `{folder}` has `=` or a pattern in its path", "set TMPDIR to a plain path")
        return link

    def ask(self, question: str, **parameters: Any) -> list[Row]:
        """The rows that answer a question of `questions/`, as one dict each."""
        text = question_text(question)
        # DuckDB writes a parameter as $name.
        given = {name: parameters[name] for name in set(PARAMETER.findall(text))}
        return self.sql(PARAMETER.sub(r"$\1", text), given)

    def sql(self, text: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """The rows of any statement over the tables."""
        rows = self.query(text, parameters)
        return [dict(zip(rows.columns, row, strict=True)) for row in rows]

    def query(self, text: str, parameters: Mapping[str, Any] | None = None) -> Rows:
        """The same, row by row."""
        try:
            result = self._connection.execute(text, dict(parameters or {}))
        except self._errors as e:
            raise self._error(e) from e
        if result is None:
            raise UsageError("no statement")
        return Rows(result, self._errors, self._error)

    def _error(self, error: Exception) -> StoreError:
        """Whose mistake it is: the statement's, or the store's."""
        if isinstance(error, self._asked_wrongly):
            return UsageError(str(error))
        return StoreError(f"can't read `{self.path}`: {error}")

    def choose_boots(self, boots: Sequence[tuple[int, str | None, str | None, str | None, datetime.date]]) -> None:
        """Makes boots (identity, board, build, side, date) the table `chosen`, which some questions are about."""
        self._connection.execute(
            "CREATE OR REPLACE TEMP TABLE chosen (boot_id BIGINT, board VARCHAR, build VARCHAR, side VARCHAR, date DATE)"
        )
        if boots:
            self._connection.executemany("INSERT INTO chosen VALUES (?, ?, ?, ?, ?)", [list(boot) for boot in boots])


#: Opens a store by its path and the most processors; what it gives may be another engine's.
OpenStore = Callable[[str, "int | None"], Store]


def check(path: Path) -> None:
    """Refuses what is not a store of this version."""
    try:
        found = (path / "_bootline" / "version").read_text().strip()
    except FileNotFoundError:
        raise StoreError(f"`{path}` is not a store: it has no `_bootline/version`", "`bootline ingest LOGS -o STORE` makes one") from None
    except (OSError, UnicodeDecodeError) as e:
        raise StoreError(f"can't read `{path}`: {e}") from e
    if found != CONTRACT:
        raise StoreError(f"`{path}` is a store of version `{found[:40]}`; this reads `{CONTRACT}`", "use the bootline that wrote it")


def parquet(path: Path, table: str) -> str:
    """What DuckDB reads a table from."""
    quoted = str(path).replace("'", "''")
    if table == "builds":
        return f"read_parquet('{quoted}/builds/*.parquet', union_by_name = true)"
    return f"read_parquet('{quoted}/{table}/*/*.parquet', hive_partitioning = true, hive_types = {{'date': DATE}}, union_by_name = true)"


def question_text(question: str) -> str:
    """The SQL of a question."""
    return resources.files(__package__).joinpath("questions", f"{question}.sql").read_text()
