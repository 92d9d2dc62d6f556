# SPDX-License-Identifier: MIT OR Apache-2.0
"""What can fail. Bad content is no error: it is a problem of its boot (`Boot.problems`).

>>> error = InputError("no such file `boot.cap`", "bootline capture /dev/ttyUSB0 -o boot.cap records one")
>>> print(error)
no such file `boot.cap`
  hint: bootline capture /dev/ttyUSB0 -o boot.cap records one
"""

__all__ = ["BootlineError", "InputError", "InternalError", "PortError", "UsageError"]


class BootlineError(Exception):
    """All errors of this package."""

    what: str
    """What failed, with its object and the evidence."""

    hint: str | None
    """What to do about it."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what, hint)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return self.what if self.hint is None else f"{self.what}\n  hint: {self.hint}"


class InputError(BootlineError):
    """An input can't be read, or holds no boot that answers the question."""


class UsageError(BootlineError, ValueError):
    """What was asked for can't be."""


class PortError(BootlineError):
    """A port, a socket or a program fails."""


class InternalError(BootlineError, RuntimeError):
    """bootline itself failed: it panicked."""
