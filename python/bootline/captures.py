# SPDX-License-Identifier: MIT OR Apache-2.0
"""Captures: what a console sends, and when."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._bootline import capture_source

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
    was not seen, bytes were lost), the file is kept, and an `InputError` says why; a command that fails raises `PortError`.

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
    return Capture(
        path=Path(path),
        bytes=document["bytes"],
        lines=document["lines"],
        span=document["span_ns"] / 1e9,
        uncertainty=document["worst_uncertainty_ns"] / 1e9,
        ended=document["ended"],
        document=document,
    )
