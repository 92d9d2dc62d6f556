# SPDX-License-Identifier: MIT OR Apache-2.0
"""An answer on a terminal. Names come from logs, which are hostile: each is escaped."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from .._bootline import escaped
from .document import Document, Paragraph, Table

WIDTH = 110


def rendered(document: Document) -> str:
    """The document as text.

    >>> from .document import Section, figure, text
    >>> table = Table([text("board"), figure("time [s]")], [["rpi\\x1b[2J", "1.5"], ["x86", "10.25"]])
    >>> print(rendered(Document("fleet", "Two boards.", [Section("", [table])])), end="")
    Two boards.
    <BLANKLINE>
      board       time [s]
      rpi\\x1b[2J       1.5
      x86            10.25
    """
    lines = [*wrapped(document.sentence)]
    for section in document.sections:
        lines.append("")
        if section.title:
            lines.append(escaped(section.title))
        for block in section.blocks:
            if isinstance(block, Paragraph):
                lines.extend(wrapped(block.words, "  " if section.title else ""))
            elif isinstance(block, Table):
                lines.extend(aligned(block))
    if document.notes:
        lines.append("")
        for note in document.notes:
            lines.extend(wrapped(note))
    return "\n".join(lines) + "\n"


def wrapped(words: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        escaped(words), WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def aligned(table: Table) -> Iterator[str]:
    """The table's lines: columns two blanks apart, none wider than its widest cell."""
    body = ([cut(escaped(cell), column.widest) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows)
    rows = [[escaped(column.title) for column in table.columns], *body]
    widths = [max(len(row[c]) for row in rows) for c in range(len(table.columns))]
    for row in rows:
        cells = [
            cell.rjust(width) if column.is_number else cell.ljust(width)
            for cell, width, column in zip(row, widths, table.columns, strict=True)
        ]
        yield ("  " + "  ".join(cells)).rstrip()


def cut(cell: str, widest: int | None) -> str:
    """A cell that is not too wide."""
    return cell if widest is None or len(cell) <= widest else cell[: widest - 1] + "…"
