# SPDX-License-Identifier: MIT OR Apache-2.0
"""Where an answer goes, and in which format."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .program import OutputError, standard_output
from .store import StoreError, UsageError

#: By the extension of a file.
FORMATS = {".html": "html", ".htm": "html", ".json": "json", ".txt": "text"}


def format_of(output: str | None, is_json: bool) -> str:
    """The format of an output: by its name.

    >>> format_of("fleet.html", False), format_of(None, True), format_of("-", False)
    ('html', 'json', 'text')
    """
    if is_json:
        return "json"
    return "text" if output is None else FORMATS.get(Path(output).suffix.lower(), "text")


def check(output: str | None, force: bool) -> None:
    """Refuses to replace a file, before work is done for it."""
    if output == "":
        raise UsageError("`-o` has an empty name", "name a file, or `-` for standard output")
    if output is not None and output != "-" and not force and Path(output).exists():
        raise StoreError(f"{output} already exists", "give another name with `-o`, or `--force` to replace it")


def write(text: str, output: str | None) -> None:
    """Writes to a file, or to standard output."""
    if output is None or output == "-":
        with standard_output():
            sys.stdout.write(text)
        return
    # A reader never sees half a page.
    path = Path(output)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as e:
        partial.unlink(missing_ok=True)
        raise OutputError(f"can't write {output}: {e.strerror}") from e
