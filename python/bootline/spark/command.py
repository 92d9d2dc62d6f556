# SPDX-License-Identifier: MIT OR Apache-2.0
"""`bootline-spark`: ingest as a job of Spark, and the questions of `bootline fleet` and `bootline sql` by Spark SQL."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BootlineError
from ..fleet import arguments, command, sql_command
from ..fleet.arguments import FINE, UNUSABLE, USAGE, complain
from ..fleet.program import arguments_of, exit_status
from ..fleet.store import Store, UsageError
from .session import session

if TYPE_CHECKING:
    from .ingest import Ingested

#: The store can't be written to.
WORLD = 4
#: The options of `bootline ingest` that say how inputs are read.
READER_OPTIONS = {
    "path_pattern": ("PATTERN", "metadata in the ends of paths: names in braces (board, device, build, lab, job, ...), `*` for anything"),
    "board": ("NAME", "kind of device of all boots"),
    "device": ("NAME", "the individual device of all boots"),
    "build": ("NAME", "build of all boots"),
    "lab": ("NAME", "lab of all boots"),
    "job": ("NAME", "run that made all boots"),
    "marker": ("TEXT", "text in the record that ends a boot, instead of init's start"),
    "app": ("UNIT|UNIT=REGEX|REGEX|mark:NAME", "what shows that the application is up, as in `bootline explain`"),
    "input_format": ("FORMAT", "the format of the logs, if it is not recognised"),
}
EXAMPLES = """\
Examples:
  bootline-spark ingest /logs/2026-11-24 /srv/store --master spark://master:7077 --path-pattern '{lab}/{board}/{build}/{job}.log'
  bootline-spark ingest s3a://logs/2026-11-24 /srv/store --master yarn --conf spark.archives=env.tar.gz#env
  bootline-spark ask /srv/store changes --board rpi4 --master spark://master:7077
  bootline-spark sql /srv/store "SELECT board, count(*) FROM boots GROUP BY board"

`bootline-spark ask STORE --help` lists the questions. docs/spark.md says what a cluster needs.
Exit status: 0 success; 1 something regressed (ask --fail-on-regression); 2 usage error; 3 an input is damaged or can't be read, or
the store can't be asked; 4 the store can't be written to, or Spark failed."""


def spark_options() -> arguments.Parser:
    """The options that say which Spark."""
    which = arguments.Parser(add_help=False, allow_abbrev=False)
    group = which.add_argument_group("which Spark")
    where = "spark://HOST:PORT, yarn, k8s://..., local[N] [default: spark-defaults.conf, else this machine]"
    group.add_argument("--master", metavar="URL", help=where)
    group.add_argument("--conf", metavar="NAME=VALUE", type=setting, action="append", default=[], help="a setting of Spark")
    return which


def setting(text: str) -> tuple[str, str]:
    """A setting of Spark.

    >>> setting("spark.executor.memory=2g")
    ('spark.executor.memory', '2g')
    """
    name, sign, value = text.partition("=")
    if not sign or not name.startswith("spark."):
        raise argparse.ArgumentTypeError(f"`{text}` is not a setting: write it as spark.NAME=VALUE")
    return name, value


def parser() -> arguments.Parser:
    """The command line; `ask` and `sql` have their own."""
    top = arguments.Parser(
        prog="bootline-spark",
        description="Stores boots by a job of Apache Spark, and asks a store by Spark SQL.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    one = commands.add_parser("ingest", help="stores boots, as `bootline ingest` does", parents=[spark_options()], allow_abbrev=False)
    one.add_argument("sources", metavar="SOURCE", nargs="+", help="file, folder, pattern or URL that this Spark reads: hdfs://, s3a://")
    one.add_argument("store", metavar="STORE", help="folder of the store, which the driver and all executors see at this path")
    for name, (kind, words) in READER_OPTIONS.items():
        one.add_argument(f"--{name.replace('_', '-')}", metavar=kind, help=words)
    one.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    commands.add_parser("ask", help="answers the questions of `bootline fleet`", add_help=False)
    commands.add_parser("sql", help="runs a statement over the tables, as `bootline sql`", add_help=False)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    return exit_status(lambda: run(arguments_of(argv)))


def run(given: Sequence[str]) -> int:
    if given[:1] in (["ask"], ["sql"]):
        return asked(given[0], given[1:])
    return ingest(parser().parse_args(given))


def asked(name: str, argv: Sequence[str]) -> int:
    """`ask` and `sql`: the commands of the embedded engine, with a store that Spark opens."""
    which, rest = spark_options().parse_known_args(argv)
    with ExitStack() as stack:

        def open_store(path: str, threads: int | None) -> Store:
            if threads is not None:
                raise UsageError("--threads is for the embedded engine", "say --master 'local[N]', or --conf spark.executor.cores=N")
            spark = stack.enter_context(session(which.master, dict(which.conf)))
            from .store import SparkStore

            return SparkStore(spark, path)

        if name == "ask":
            return command.main(rest, open_store, "bootline-spark ask")
        return sql_command.main(rest, open_store, "bootline-spark sql", "Spark SQL")


def ingest(options: argparse.Namespace) -> int:
    """Runs the job."""
    say: Callable[[str], None] = (lambda _: None) if options.quiet else lambda words: print(f"{words} ...", file=sys.stderr)
    store = Path(options.store)
    with session(options.master, dict(options.conf)) as spark:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        from .ingest import ingest as run
        from .reading import ReaderOptions
        from .session import first_line

        try:
            done = run(spark, options.sources, store, ReaderOptions(**{name: getattr(options, name) for name in READER_OPTIONS}), say)
        except BootlineError as e:
            complain(e.what, e.hint)
            return USAGE
        except (PySparkException, Py4JError, OSError, ValueError) as e:
            again = "nothing was stored; run it again"
            complain(f"can't store the boots: {first_line(e)}", again)
            return WORLD
    print(in_words(options.store, done), file=sys.stderr)
    return status(done)


def in_words(store: str, done: Ingested) -> str:
    """What was done, in the words of `bootline ingest`."""
    rest = [(done.stored_before, "were there before"), (done.inputs.get("no-boot", 0), "without a boot")]
    rest += [(done.inputs.get("damaged", 0), "damaged"), (done.inputs.get("unreadable", 0), "unreadable")]
    rest += [(done.changed, "changed while they were read: the next run stores them")]
    told = ", ".join(f"{n} {words}" for n, words in rest if n)
    inputs = sum(done.inputs.values())
    return f"{store}: {done.boots} boots, {done.spans} spans stored from {inputs} of {done.found} inputs{f' ({told})' if told else ''}"


def status(done: Ingested) -> int:
    """The exit status, as of `bootline ingest`."""
    if not done.found:
        complain("no files in what was named")
        return UNUSABLE
    if done.first_problem is None:
        return FINE
    bad = done.inputs.get("damaged", 0) + done.inputs.get("unreadable", 0)
    words = "1 input is damaged or can't be read" if bad == 1 else f"{bad} inputs are damaged or can't be read"
    complain(f"{words}: {done.first_problem}", "the table `files` names all of them, and why")
    return UNUSABLE


if __name__ == "__main__":
    sys.exit(main())
