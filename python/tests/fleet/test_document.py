# SPDX-License-Identifier: MIT OR Apache-2.0
"""docs/fleet.md: its examples are what the commands write. BLESS=1 writes them."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from bootline.fleet import command, sql_command

DOCUMENT = Path(__file__).parent.parent.parent.parent / "docs" / "fleet.md"
EXAMPLE = re.compile(r"(<!-- real output.*? -->\n```console\n)\$ bootline (.*)\n((?:.*\n)*?)(```\n<!-- end of real output -->)")


def test_examples_are_real_output(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def real(example: re.Match[str]) -> str:
        before, words, _, after = example.groups()
        verb, _, *rest = shlex.split(words)
        main = {"fleet": command.main, "sql": sql_command.main}[verb]
        assert main([str(store), *rest]) == 0
        return f"{before}$ bootline {words}\n{capsys.readouterr().out}{after}"

    text = DOCUMENT.read_text()
    current, examples = EXAMPLE.subn(real, text)
    assert examples == text.count("<!-- real output")
    assert examples > 0
    if os.environ.get("BLESS"):
        DOCUMENT.write_text(current)
    assert DOCUMENT.read_text() == current, "BLESS=1 writes it"


def test_every_question_is_documented() -> None:
    text = DOCUMENT.read_text()
    help_text = command.parser().format_help()
    (questions,) = re.findall(r"QUESTION\n((?: {4}\S.*\n(?: {6,}.*\n)*)+)", help_text)
    names = re.findall(r"^ {4}(\w+)", questions, re.MULTILINE)
    assert len(names) >= 8
    assert all(f"| `{name}" in text for name in names)
