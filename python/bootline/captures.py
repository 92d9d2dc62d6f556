# SPDX-License-Identifier: MIT OR Apache-2.0
"""Captures: what a console sends, and when."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._bootline import capture_source
from .errors import InputError

__all__ = ["Capture", "capture"]


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture that was made."""

    path: Path
    bytes: int
    lines: int
    span: float
    """From the first byte's arrival to the last's, in seconds."""
    uncertainty: float
    """The largest uncertainty of an arrival, in seconds."""
    ended: str
    """Why it ended: `until`, `timeout`, `idle`, `source`."""
    document: dict[str, Any]
    """What `bootline capture --json` writes: docs/schema/capture-1.schema.json."""


def capture(
    source: str | Sequence[str],
    path: str | os.PathLike[str],
    *,
    baud: int | None = None,
    frame: str | None = None,
    dtr: bool | None = None,
    rts: bool | None = None,
    marks: Sequence[str] = (),
    until: str | None = None,
    timeout: float | None = None,
    idle: float | None = None,
    power: str | None = None,
    wait: bool = False,
    reconnect: bool = True,
) -> Capture:
    """Records a boot into a new file, with arrival times by the host's clock.

    `source` is a serial device (`/dev/ttyUSB0`), `tcp:HOST:PORT`, `unix:PATH`, a file or a pipe (`-` is standard input), or a command as
    a sequence of words. The other options are those of `bootline capture`; times are in seconds. Ctrl-C ends it: the file is complete
    then, and `KeyboardInterrupt` is raised. If the capture is not what was asked for (nothing arrived, no line matched `until`, a mark
    was not seen, bytes were lost), the file is kept, and an `InputError` says why.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = capture(["sh", "-c", "echo one; echo two"], f"{folder}/boot.cap", until="two")
    >>> made.bytes, made.lines, made.ended
    (8, 2, 'until')
    """
    document = json.loads(
        capture_source(
            source if isinstance(source, str) else list(source),
            os.fspath(path),
            baud=baud,
            frame=frame,
            dtr=dtr,
            rts=rts,
            marks=list(marks),
            until=until,
            timeout=timeout,
            idle=idle,
            power=power,
            wait=wait,
            reconnect=reconnect,
        )
    )
    fault = _fault(document, until, reconnect)
    if fault is not None:
        raise InputError(f"{fault}\n  the capture is in `{os.fspath(path)}`")
    return Capture(
        path=Path(path),
        bytes=document["bytes"],
        lines=document["lines"],
        span=document["span_ns"] / 1e9,
        uncertainty=document["worst_uncertainty_ns"] / 1e9,
        ended=document["ended"],
        document=document,
    )


def _fault(document: dict[str, Any], until: str | None, reconnects: bool) -> str | None:
    """Why the capture is not what was asked for, as `bootline capture` judges it."""
    source, detail, errors = document["source"], document["detail"], document["line_errors"]
    if document["bytes"] == 0:
        return f"nothing arrived from `{source}`: {detail}"
    if until is not None and document["ended"] != "until":
        return f"no line matched `{until}` before the capture ended: {detail}"
    unseen = [mark["name"] for mark in document["marks"] if mark["at_ns"] is None]
    if unseen:
        return f"mark `{unseen[0]}` was not seen before the capture ended: {detail}"
    if errors is not None and any(errors.values()):
        return f"`{source}` lost or damaged bytes: " + ", ".join(f"{n} {kind}" for kind, n in errors.items() if n)
    if document["holes"] and reconnects:
        return f"`{source}` went away {document['holes']} times: what was sent meanwhile is missing"
    return None
