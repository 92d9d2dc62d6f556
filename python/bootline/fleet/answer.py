# SPDX-License-Identifier: MIT OR Apache-2.0
"""What every answer to a question is: a document for people, JSON for programs."""

from __future__ import annotations

import dataclasses
import datetime
import json
from dataclasses import dataclass
from typing import Any, ClassVar

from .. import __version__
from .document import Document
from .figures import between, percent


@dataclass(frozen=True)
class Estimate:
    """A figure with its confidence interval."""

    low: float
    best: float
    high: float
    #: How likely such an interval contains the truth: 0.95, or less if there are too few boots.
    confidence: float

    def interval(self) -> str:
        """The interval, with its confidence if that is below 95 %; empty if nothing is known.

        >>> Estimate(1e5, 2e5, 3e5, 0.95).interval(), Estimate(1e5, 2e5, 3e5, 0.5).interval(), Estimate(1e5, 1e5, 1e5, 0).interval()
        ('+0.100..+0.300', '+0.100..+0.300 (50 %)', '')
        """
        if self.confidence <= 0:
            return ""
        words = between(self.low, self.high)
        return words if self.confidence >= 0.95 else f"{words} ({percent(self.confidence, 1)})"


@dataclass(frozen=True)
class Answer:
    """An answer. Its fields are those of the JSON."""

    #: The contract is `bootline-fleet-QUESTION/1`.
    QUESTION: ClassVar[str]

    def document(self) -> Document:
        """The answer for people."""
        raise NotImplementedError

    def json(self) -> str:
        """The answer for programs. Only ASCII: no control character of a log reaches a terminal."""
        head = {"schema": f"bootline-fleet-{self.QUESTION}/1", "tool": f"bootline {__version__}"}
        text = json.dumps({**head, **dataclasses.asdict(self)}, indent=2, default=plain, allow_nan=False)
        return text.replace("\x7f", "\\u007f") + "\n"


def plain(value: Any) -> str:
    """Instants and days as in ISO 8601; instants are UTC."""
    if isinstance(value, datetime.datetime):
        return value.isoformat() + "Z"
    if isinstance(value, datetime.date):
        return value.isoformat()
    raise TypeError(f"no JSON for {type(value).__name__}")


#: Kinds of parts that tile a boot: they say where the time went, the others what took it.
TILES = ("stage", "phase")
#: A kind of part that boots without it have, too: of no length.
GAP = "gap"
#: What to call a board or a build that metadata don't name.
UNKNOWN = "unknown"
#: What the names of whole boots stand for.
OF_BOOTS = {"time-to-init": "time to init", "time-to-marker": "time to the marker", "time-to-application": "time to the application"}


def named(value: str | None) -> str:
    """A board or a build.

    >>> named("rpi4"), named(None)
    ('rpi4', 'unknown')
    """
    return UNKNOWN if value is None else value


def part_words(kind: str, name: str) -> str:
    """A part of a boot in running text.

    >>> part_words("boot", "time-to-init"), part_words("initcall", "acpi_init")
    ('time to init', 'initcall acpi_init')
    """
    return OF_BOOTS.get(name, name) if kind == "boot" else f"{kind} {name}"
