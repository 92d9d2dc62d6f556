# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which boots a question is about."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

#: The days between which everything lies.
FIRST_DAY = datetime.date(1970, 1, 1)
LAST_DAY = datetime.date(9999, 12, 31)


@dataclass(frozen=True)
class Selection:
    """Boots by board, build and date; without any of them all."""

    board: str | None = None
    build: str | None = None
    since: datetime.date = FIRST_DAY
    until: datetime.date = LAST_DAY

    def parameters(self) -> dict[str, Any]:
        """The parameters of questions that take all of it."""
        return {"board": self.board, "build": self.build, "since": self.since, "until": self.until}

    def words(self) -> str:
        """What restricts it, to follow a noun.

        >>> Selection(board="rpi4", since=datetime.date(2026, 1, 1)).words()
        ' of board rpi4, since 2026-01-01'
        """
        parts = [f"of board {self.board}"] if self.board else []
        parts += [f"of build {self.build}"] if self.build else []
        parts += [f"since {self.since}"] if self.since != FIRST_DAY else []
        parts += [f"until {self.until}"] if self.until != LAST_DAY else []
        return " " + ", ".join(parts) if parts else ""
