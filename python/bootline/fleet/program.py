# SPDX-License-Identifier: MIT OR Apache-2.0
"""What is common to the programs over stores: exit statuses, and what their output may fail with."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from .arguments import complain
from .store import StoreError, UsageError

#: A defect of the program itself (EX_SOFTWARE): Python's own 1 would say that something regressed.
DEFECT = 70


class OutputError(StoreError):
    """An output can't be written; the store is fine."""

    status = 4


def exit_status(run: Callable[[], int]) -> int:
    """Runs a program; returns its exit status, whatever happens."""
    for stream in (sys.stdout, sys.stderr):
        # A locale without a character shows its code, rather than nothing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return run()
    except StoreError as e:
        complain(str(e), e.hint)
        return e.status
    except KeyboardInterrupt:
        return 130
    except Exception:  # noqa: BLE001
        traceback.print_exc()
        return DEFECT


def arguments_of(argv: Sequence[str] | None) -> list[str]:
    """The arguments, which have to be text."""
    given = list(sys.argv[1:] if argv is None else argv)
    for argument in given:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise UsageError(f"an argument is not UTF-8: {argument!a}") from None
    return given


@contextmanager
def standard_output() -> Iterator[None]:
    """Around what is written to standard output. A reader that has read enough is no error."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        abandon_output()
    except OSError as e:
        abandon_output()
        raise OutputError(f"can't write to standard output: {e.strerror}") from e


def abandon_output() -> None:
    """Python flushes standard output once more at its end: that must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
