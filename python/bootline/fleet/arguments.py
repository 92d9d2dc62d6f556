# SPDX-License-Identifier: MIT OR Apache-2.0
"""What people type: durations, shares, days; and errors in the form of every bootline program."""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from typing import NoReturn

from .._bootline import escaped

#: Exit statuses, as in the README.
FINE, GATE_FAILED, USAGE, UNUSABLE = 0, 1, 2, 3

UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}


class Parser(argparse.ArgumentParser):
    """A parser whose errors look as those of the Rust programs do."""

    def error(self, message: str) -> NoReturn:
        complain(message, f"`{self.prog} --help` shows what there is")
        raise SystemExit(USAGE)


def complain(words: str, hint: str | None = None) -> None:
    """Writes an error. Those of SQL have several lines."""
    first, *rest = words.rstrip().split("\n")
    print(f"error: {escaped(first)}", file=sys.stderr)
    for line in rest:
        print(f"  {escaped(line)}".rstrip(), file=sys.stderr)
    if hint:
        print(f"  hint: {escaped(hint)}", file=sys.stderr)


def warn(words: str) -> None:
    """Writes what to know before the answer is trusted."""
    print(f"warning: {escaped(words)}", file=sys.stderr)


def duration_us(text: str) -> float:
    """A duration, in microseconds.

    >>> duration_us("1ms"), duration_us("0.5 s")
    (1000.0, 500000.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(us|ms|s)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"`{text}` is not a duration: write it as 1ms or 0.5s")
    return float(match[1]) * UNITS[match[2]]


def percent(text: str) -> float:
    """A percentage, as a share.

    >>> percent("1"), percent("0.5%")
    (0.01, 0.005)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?%?", text)
    value = float(match[1]) / 100 if match else -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a percentage from 0 to 100")
    return value


def positive(text: str) -> int:
    """A number of things, one at least."""
    if not re.fullmatch(r"[1-9]\d{0,8}", text):
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of at least 1")
    return int(text)


def day(text: str) -> datetime.date:
    """A day.

    >>> day("2026-01-31")
    datetime.date(2026, 1, 31)
    """
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is not a date: write it as 2026-01-31") from None
