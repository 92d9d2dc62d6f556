# SPDX-License-Identifier: MIT OR Apache-2.0
"""The compiled module: crates/bootline-python."""

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, final

__all__ = [
    "BootHandle",
    "BootStream",
    "Budget",
    "ChangePoint",
    "ConsoleRecorder",
    "RunSet",
    "StoreBatch",
    "StoreReader",
    "Table",
    "__version__",
    "_panic",
    "capture_source",
    "change_points",
    "check_set",
    "compare_sets",
    "difference",
    "empty_tables",
    "escaped",
    "false_discovery",
    "html_text",
    "p_value",
    "static_page",
    "unreadable_input",
]

__version__: str

@final
class ChangePoint:
    """A change of level in a series."""

    @property
    def index(self) -> int:
        """The first value of the new level."""

    @property
    def p(self) -> float:
        """How likely a series without a change has one like this anywhere."""

    @property
    def before(self) -> float:
        """The median up to the change before."""

    @property
    def after(self) -> float:
        """The new median, up to the next change."""

    @property
    def low(self) -> float:
        """The lower bound of the difference."""

    @property
    def difference(self) -> float:
        """By how much the values have grown."""

    @property
    def high(self) -> float:
        """The upper bound of the difference."""

    @property
    def confidence(self) -> float:
        """How likely such bounds contain the truth: 0.95, or less if there are too few values."""

def change_points(series: Sequence[Sequence[float]], *, p: float = 0.01, share: float = 0.01) -> list[list[ChangePoint]]:
    """The changes in each of many series, on all processors."""

def difference(a: Sequence[float], base: Sequence[float]) -> tuple[float, float, float, float]:
    """By how much the values of one set are greater than those of another: the lower bound, the difference of the medians, the upper
    bound, and the confidence of the interval."""

def p_value(a: Sequence[float], b: Sequence[float]) -> float:
    """How likely sets that don't differ are to be as far apart as these."""

def false_discovery(p: Sequence[float]) -> list[float]:
    """p values as they are when many were looked at (Benjamini and Hochberg)."""

def escaped(text: str) -> str:
    """Text made harmless for a terminal: controls and invisible characters shown by their codes."""

def html_text(text: str) -> str:
    """Text for an element's content or for an attribute in quotes: controls shown by their codes, markup as text."""

def static_page(title: str, style: str, body: str) -> str:
    """A page as all of bootline's: one file that loads nothing. The title is text, the body HTML."""

@final
class StoreBatch:
    """A batch of a store that other processes fill. Garbage, or an exit without a commit, leaves nothing of it."""

    def __new__(cls, store: str | PathLike[str]) -> StoreBatch: ...
    @property
    def folder(self) -> Path:
        """The folder that is filled: a folder per table, in it one per date as in the store."""

    def try_hold(self) -> list[str] | None:
        """Excludes all other writers; none while one of them has begun. Returns what was added since the batch was begun, as hashes."""

    def commit(self, inputs: Sequence[str]) -> None:
        """Makes the batch a part of the store, in one step. The inputs, as hashes, are those of its rows of `files`."""

    def close(self) -> None:
        """Gives the batch up, unless it was committed."""

def unreadable_input(path: str, problem: str) -> tuple[str, int]:
    """Identity of an input that can't be read: its hash, and `file_id`."""

@final
class Table:
    """A table in memory, for everything that takes Arrow streams by the PyCapsule interface."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""

    @property
    def types(self) -> list[tuple[str, str]]:
        """The columns with their types, as Arrow names them."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class StoreReader:
    """Reads inputs as `bootline ingest` does; the arguments are its options. One reader reads any number of inputs, in any threads."""

    def __new__(
        cls,
        *,
        path_pattern: str | None = None,
        board: str | None = None,
        device: str | None = None,
        build: str | None = None,
        lab: str | None = None,
        job: str | None = None,
        marker: str | None = None,
        app: str | None = None,
        input_format: str | None = None,
    ) -> StoreReader: ...
    def read(
        self, path: str, content: bytes | None = None, *, modified_us: int | None = None, sidecar: bytes | None = None
    ) -> dict[str, Table]:
        """The rows that one input gives, by table: the same rows, identities and dates as `bootline ingest` stores.

        `content` are the bytes of the input (as they are, compressed or not); without it the file at `path` is read, with its sidecar.
        `path` becomes `files.path` and is what `path_pattern` reads. `modified_us` is when the input was last modified, in microseconds
        since 1970: the boots' date where no source shows when they started. `sidecar` are the bytes of its `.meta.json`. An input that
        can't be read or that is damaged gives a row of `files` with its problem, never an error."""

def empty_tables() -> dict[str, Table]:
    """All tables of a store, without rows: for their schemas."""

def _panic() -> None: ...

@final
class BootHandle:
    """A boot in memory: `bootline.Boot` is its Python side."""

    @property
    def name(self) -> str: ...
    @property
    def problem(self) -> str | None: ...
    def time(self) -> dict[str, Any]: ...
    def explain(self) -> dict[str, Any]: ...
    def export_json(self) -> str: ...
    def predict(self, settings: Sequence[str]) -> dict[str, Any]: ...
    def explain_text(self, width: int) -> str: ...

@final
class BootStream(Iterator[BootHandle]):
    """Iterates over the boots of an input: a thread reads ahead by one."""

    def __new__(
        cls,
        path: str,
        content: bytes | None = None,
        *,
        with_sources: Sequence[str] = ...,
        app: str | None = None,
        marker: str | None = None,
        console: str | None = None,
        input_format: str | None = None,
        kernel_log: str | None = None,
        cpus: int | None = None,
    ) -> BootStream: ...
    def __iter__(self) -> BootStream: ...
    def __next__(self) -> BootHandle: ...

@final
class Budget:
    """Limits for boots, from the text of a file as docs/gate.md describes it."""

    def __new__(cls, text: str, name: str) -> Budget: ...
    @property
    def end(self) -> str | None:
        """Text in the record that ends its boots, instead of init's start."""

    @property
    def app(self) -> str | None:
        """What shows the application in its boots."""

    @property
    def baseline(self) -> str | None:
        """The file of its baseline, as it names it."""

@final
class RunSet:
    """Measures of boots: `bootline.sets.boot_set` fills one."""

    def __new__(cls, name: str, budget: Budget | None = None, app: str | None = None) -> RunSet: ...
    def add(self, boot: BootHandle) -> None:
        """Adds a boot; one that can't be trusted is listed as excluded."""

    def add_baseline(self, text: bytes, name: str) -> None:
        """Adds the runs of a stored baseline."""

    def exclude(self, name: str, why: str, expected: bool = False) -> None:
        """Lists an input that holds no boot, or a run that can't be used; `expected` if the fault is the lab's and not the boot's."""

    @property
    def excluded(self) -> list[tuple[str, str]]:
        """Inputs and boots that can't be used, and why."""

    @property
    def failed(self) -> list[tuple[str, str]]:
        """Those of them that are no fault of the lab."""

    @property
    def name(self) -> str: ...
    def __len__(self) -> int: ...

def compare_sets(base: RunSet, new: RunSet, effect: float, noise: float) -> str | None:
    """The document `bootline-compare/1`; None if a set is empty."""

def check_set(budget: Budget, runs: RunSet, baseline: RunSet | None = None) -> tuple[str, list[tuple[str, str]]]:
    """The document `bootline-check/1`, and of each limit its outcome and its message."""

def capture_source(
    source: str | Sequence[str],
    file: str,
    *,
    baud: int | None = None,
    frame: str | None = None,
    dtr: bool | None = None,
    rts: bool | None = None,
    marks: Sequence[str] = ...,
    until: str | None = None,
    timeout: float | None = None,
    idle: float | None = None,
    power: str | None = None,
    wait: bool = False,
    reconnect: bool = True,
) -> str:
    """Records; gives the document `bootline-capture/1`."""

@final
class ConsoleRecorder:
    """Records what a descriptor gives, an open serial device or a connected socket, or what is fed, and hands it on by `read`."""

    def __new__(cls, fd: int | None, file: str, source: str, baud: int | None = None) -> ConsoleRecorder: ...
    def now(self) -> int:
        """The time now, by the capture's clock, in nanoseconds."""

    def feed(self, data: bytes, empty_at: int | None = None) -> None:
        """Records bytes of a console without a descriptor. They arrived between `empty_at`, when none were waiting, and now."""

    def read(self, size: int, timeout: float) -> bytes:
        """At most `size` bytes that were not yet read here; none if none came within `timeout` seconds."""

    @property
    def bytes(self) -> int:
        """Bytes recorded so far."""

    def stop(self) -> None:
        """Ends the capture; the file is complete then."""
