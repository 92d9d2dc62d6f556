# SPDX-License-Identifier: MIT OR Apache-2.0
"""`bootline sql`: any statement over the tables of a store."""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import math
import sys
from collections.abc import Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

from .. import __version__, _bootline
from . import arguments
from .arguments import FINE
from .document import Column, Document, Section, Table
from .figures import count, number
from .program import arguments_of, exit_status, standard_output
from .store import TABLES, OpenStore, Rows, Store, UsageError
from .terminal import rendered

#: Rows of a table on a terminal.
MOST_ROWS = 1000
EPILOG = f"""\
The tables are {", ".join(TABLES)}; docs/store.md describes their columns. The dialect is DuckDB's.
Times of different clocks can't be compared: group by clock, or choose one.

Examples:
  bootline sql store/ "SELECT board, clock, count(*), median(dur_us)/1e6 AS s FROM boots WHERE usable GROUP BY ALL"
  bootline sql store/ "SELECT path, problem FROM files WHERE status <> 'stored'" --csv
  bootline sql store/ - <question.sql
"""


def parser(prog: str = "bootline sql", dialect: str = "DuckDB") -> arguments.Parser:
    """The command line."""
    top = arguments.Parser(
        prog=prog,
        description="Runs a statement over the tables of a store, and shows its rows.",
        epilog=EPILOG.replace("bootline sql", prog).replace("DuckDB", dialect),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("store", metavar="STORE", help="the folder that `bootline ingest` writes")
    top.add_argument("statement", metavar="STATEMENT", help="SQL; `-` reads it from standard input")
    form = top.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="write JSON")
    form.add_argument("--csv", action="store_true", help="write CSV")
    top.add_argument("--threads", metavar="N", type=arguments.positive, help="use at most so many processors")
    return top


def main(argv: Sequence[str] | None = None, open_store: OpenStore = Store, prog: str = "bootline sql", dialect: str = "DuckDB") -> int:
    """Runs the command, with whatever engine opens the store; returns its exit status."""
    return exit_status(lambda: run(parser(prog, dialect).parse_args(arguments_of(argv)), open_store))


def run(options: argparse.Namespace, open_store: OpenStore) -> int:
    store = open_store(options.store, options.threads)
    rows = store.query(statement_of(options.statement))
    write = write_json if options.json else write_csv if options.csv else write_table
    with standard_output():
        write(rows)
    return FINE


def statement_of(argument: str) -> str:
    """The statement, from standard input if it is asked for."""
    if argument != "-":
        return argument
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as e:
        raise UsageError(f"the statement is not text: {e}") from e


def write_table(rows: Rows) -> None:
    """The first rows, aligned."""
    shown = list(islice(rows, MOST_ROWS + 1))
    more, shown = len(shown) > MOST_ROWS, shown[:MOST_ROWS]
    numeric = [all(isinstance(row[c], (int, float, Decimal)) or row[c] is None for row in shown) for c in range(len(rows.columns))]
    columns = [Column(name, is_number=is_number) for name, is_number in zip(rows.columns, numeric, strict=True)]
    table = Table(columns, [[cell(value) for value in row] for row in shown])
    notes = [f"These are the first {number(MOST_ROWS)} rows; `--csv` and `--json` write all."] if more else []
    words = f"{count(len(shown), 'row')}{' and more' if more else ''}." if shown else "No rows."
    sys.stdout.write(rendered(Document("", words, [Section("", [table])] if shown else [], notes)))


def cell(value: Any) -> str:
    """A value in a table."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}" if not value.is_integer() or abs(value) >= 1e15 else f"{value:.0f}"
    return str(value)


def write_json(rows: Rows) -> None:
    """All rows, in one document that is written as they come."""
    head = json.dumps({"schema": "bootline-sql/1", "tool": f"bootline {__version__}", "columns": rows.columns})
    sys.stdout.write(harmless(head[:-1]) + ', "rows": [')
    for i, row in enumerate(rows):
        text = json.dumps([jsonable(value) for value in row], allow_nan=False)
        sys.stdout.write((",\n" if i else "\n") + harmless(text))
    sys.stdout.write("\n]}\n")


def harmless(text: str) -> str:
    """The one control character that JSON in ASCII leaves as it is."""
    return text.replace("\x7f", "\\u007f")


def jsonable(value: Any) -> Any:
    """A value of any SQL type; what JSON has no number for is null."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime.datetime):
        # All without a time zone are UTC.
        utc = value if value.tzinfo is None else value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return utc.isoformat() + "Z"
    if isinstance(value, (list, tuple)):
        return [jsonable(part) for part in value]
    if isinstance(value, dict):
        return {str(key): jsonable(part) for key, part in value.items()}
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def write_csv(rows: Rows) -> None:
    """All rows as CSV, as RFC 4180 has it. A terminal gets no control characters."""
    writer = csv.writer(sys.stdout, lineterminator="\r\n")
    safe = _bootline.escaped if sys.stdout.isatty() else str
    writer.writerow([safe(column) for column in rows.columns])
    for row in rows:
        writer.writerow(["" if value is None else safe(str(value)) for value in row])


if __name__ == "__main__":
    sys.exit(main())
