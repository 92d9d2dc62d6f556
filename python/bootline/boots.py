# SPDX-License-Identifier: MIT OR Apache-2.0
"""Boots of logs and captures: what `bootline explain`, `predict` and `export` know of them.

The work is done in Rust, without the GIL, which only the making of Python's objects holds; a boot's parts are views of the documents
whose schemas are in docs/schema.
"""

import json
import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from . import figures
from ._bootline import BootHandle, BootStream, __version__
from .errors import InputError, UsageError
from .figures import Finding, Interval, Phase, Prediction, Problem, Record, Span, Stage, TimeToInit

__all__ = ["Boot", "Boots", "explain", "open", "predict"]

Path = str | os.PathLike[str]


class Boot:
    """One boot, on one time axis."""

    def __init__(self, handle: BootHandle) -> None:
        self.handle = handle
        """The boot in Rust."""

    @property
    def name(self) -> str:
        """The input that it is from, and its place in there."""
        return self.handle.name

    @property
    def usable(self) -> bool:
        """Whether its figures can be trusted."""
        return self.handle.problem is None

    @property
    def problem(self) -> str | None:
        """Why its figures can't be trusted."""
        return self.handle.problem

    @cached_property
    def _times(self) -> dict[str, Any]:
        return self.handle.time()

    @cached_property
    def _explained(self) -> dict[str, Any]:
        return self.handle.explain()

    @cached_property
    def _exported(self) -> dict[str, Any]:
        exported: dict[str, Any] = json.loads(self.handle.export_json())["boots"][0]
        return exported

    @property
    def kernel(self) -> str | None:
        """The kernel's release, as `uname -r` shows it."""
        release: str | None = self._times["kernel_version"]
        return release

    @property
    def clock(self) -> str:
        """The clock of the boot's axis: `arrival` (the host's, by when bytes arrived), `kernel`, or `none`."""
        clock: str = self._times["clock"]
        return clock

    @property
    def time_to_init(self) -> TimeToInit | None:
        """How long it took until init started; None if the log does not reach that."""
        found = self._times["time_to_init"]
        if found is None:
            return None
        return TimeToInit(figures.interval(found["elapsed_ns"], self.clock), found["since"], found["by"], found["record"])

    @property
    def stages(self) -> list[Stage]:
        """From the earliest known moment to the application."""
        return [figures.stage(s, self.clock) for s in self._times["whole"]["stages"]]

    @property
    def phases(self) -> list[Phase]:
        """The parts of the kernel's boot, which tile it."""
        return [figures.phase(p, self.clock) for p in self._times["phases"]]

    @property
    def console_cost(self) -> Interval | None:
        """What the serial console cost up to the boot's end."""
        console = self._explained["console"]
        return figures.interval(console["cost_ns"], self.clock) if console else None

    @cached_property
    def findings(self) -> list[Finding]:
        """Causes of lost time, the greatest first."""
        return [figures.finding(found, self.clock) for found in self._explained["findings"]]

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the log."""
        return [Problem(p["kind"], p["detail"], p["count"], p["spoils"]) for p in self._explained["problems"]]

    @cached_property
    def records(self) -> list[Record]:
        """The log."""
        return [figures.record(r, self.clock) for r in self._exported["records"]]

    @cached_property
    def spans(self) -> list[Span]:
        """Initcalls, probes and asynchronous calls, in the order in which they began."""
        return [figures.span(s, self.clock) for s in self._exported["spans"]]

    def predict(self, *settings: str) -> list[Prediction]:
        """What a change would save: the settings of `bootline predict --set`, together; without any, each what-if by itself.

        The first prediction is the baseline, the boot as it was.

        >>> baseline, faster = only("corpus/x86-6.12-2400/boot.cap").predict("baud=115200")
        >>> faster.change, faster.saves.low > 100
        (('baud=115200',), True)
        """
        predicted = self.handle.predict(list(settings))
        refused = predicted["prediction_error"]
        if refused is not None:
            raise InputError(f"no prediction for {self.name}: {refused}")
        return [figures.prediction(p, self.clock) for p in predicted["predictions"]]

    def explain(self) -> dict[str, Any]:
        """What `bootline explain --json` writes of it: an item of `boots` in docs/schema/explain-1.schema.json."""
        return self._explained

    def export(self) -> dict[str, Any]:
        """All that is known of it: an item of `boots` in docs/schema/export-1.schema.json."""
        return self._exported

    def report(self, width: int = 100) -> str:
        """What `bootline explain` shows; control characters of the log are escaped.

        >>> print(only("corpus/x86-6.12-2400/boot.cap").report().splitlines()[0])
        corpus/x86-6.12-2400/boot.cap: Linux 6.12.107+deb13-amd64, 1 CPU
        """
        return self.handle.explain_text(width)

    def __repr__(self) -> str:
        took = self.time_to_init
        return f"<bootline.Boot {self.name!r}: {'no end' if took is None else took.elapsed}>"


class Boots(Iterator[Boot]):
    """The boots of an input, one after the other: one at a time is in memory."""

    def __init__(self, stream: BootStream, name: str) -> None:
        self._stream = stream
        self._name = name

    def __next__(self) -> Boot:
        return Boot(next(self._stream))

    def only(self) -> Boot:
        """The boot of an input that holds one."""
        boot = next(self, None)
        if boot is None:
            raise InputError(f"no boot in `{self._name}`")
        if next(self, None) is not None:
            raise UsageError(f"`{self._name}` holds several boots", "iterate over them")
        return boot


def open(
    path: Path,
    content: bytes | None = None,
    *,
    sources: Iterable[Path] = (),
    app: str | None = None,
    marker: str | None = None,
    console: str | None = None,
    input_format: str | None = None,
    kernel_log: Path | None = None,
    cpus: int | None = None,
) -> Boots:
    """The boots of a log, a capture, an archive or a collection, in any format that bootline reads.

    >>> for boot in open("corpus/x86-6.12-2400/boot.cap"):
    ...     print(boot.kernel, boot.time_to_init.elapsed)
    6.12.107+deb13-amd64 111.298056 s (111.297988..111.298123 s, arrival clock)

    `content` are its bytes, if they are in memory; then `path` only names it. The options are those of `bootline explain`: `sources`
    (--with) are other sources of the same boots, `app` shows that the application is up, `marker` is text in the record that ends a
    boot, `console` the serial console (`ttyS0,115200n8`), `kernel_log` the kernel's own log of the same boots.

    Bad content is no error: it is `Boot.problem` and `Boot.problems`. An input that can't be read, or that holds no boot, is an
    `InputError`; it is raised by the iterator, after the boots that could be read.
    """
    stream = BootStream(
        os.fspath(path),
        content,
        with_sources=[os.fspath(source) for source in sources],
        app=app,
        marker=marker,
        console=console,
        input_format=input_format,
        kernel_log=None if kernel_log is None else os.fspath(kernel_log),
        cpus=cpus,
    )
    return Boots(stream, os.fspath(path))


def only(path: Path, content: bytes | None = None, **options: Any) -> Boot:
    """The boot of an input that holds one; options as for `open`."""
    return open(path, content, **options).only()


def explain(*paths: Path, **options: Any) -> dict[str, Any]:
    """The document that `bootline explain --json` writes: docs/schema/explain-1.schema.json. Options as for `open`.

    >>> document = explain("corpus/x86-6.18-rt-9600/boot.cap")
    >>> document["schema"], document["boots"][0]["findings"][0]["rule"]
    ('bootline-explain/1', 'con003 console-lock')
    """
    return _document("bootline-explain/1", (boot.explain() for path in paths for boot in open(path, **options)))


def predict(*paths: Path, settings: Iterable[str] = (), **options: Any) -> dict[str, Any]:
    """The document that `bootline predict --json` writes: docs/schema/predict-1.schema.json. Options as for `open`.

    >>> document = predict("corpus/x86-6.12-2400/boot.cap", settings=["quiet"])
    >>> [prediction["title"] for prediction in document["boots"][0]["predictions"]]
    ['baseline', 'quiet']
    """
    changes = list(settings)
    boots = (boot.handle.predict(changes) for path in paths for boot in open(path, **options))
    return _document("bootline-predict/1", boots)


def _document(schema: str, boots: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return {"schema": schema, "tool": f"bootline {__version__}", "boots": list(boots)}
