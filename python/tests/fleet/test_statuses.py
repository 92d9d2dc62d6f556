# SPDX-License-Identifier: MIT OR Apache-2.0
"""Exit statuses and formats that other programs rely on: 1 says that something regressed, and nothing else does."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from handmade_store import Boot, write

from bootline.fleet import command, sql_command
from bootline.fleet.program import DEFECT, exit_status
from bootline.fleet.store import Store, StoreError

FLEET, SQL = ("bootline.fleet.command", "bootline.fleet.sql_command")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A store of four builds."""
    write(tmp_path / "small", [Boot(1_000_000 + n, build=f"b{n % 4}") for n in range(12)])
    return tmp_path / "small"


def run(module: str, *words: str | bytes | Path, stdout: int | None = subprocess.PIPE, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", module, *words], check=False, stdout=stdout, stderr=subprocess.PIPE, env={**os.environ, **env}
    )


def test_a_defect_is_no_regression(capsys: pytest.CaptureFixture[str]) -> None:
    def defective() -> int:
        raise ZeroDivisionError("a defect")

    assert exit_status(defective) == DEFECT == 70
    assert "ZeroDivisionError: a defect" in capsys.readouterr().err


def test_a_table_that_can_not_be_read(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in (small / "boots").glob("*/*.parquet"):
        file.write_bytes(b"no Parquet")
    assert command.main([str(small), "changes", "--fail-on-regression"]) == 3
    assert capsys.readouterr().err.startswith(f"error: can't read `{small}`: ")
    for file in (small / "boots").glob("*/*.parquet"):
        file.unlink()
    assert sql_command.main([str(small), "SELECT 1"]) == 3


def test_a_store_that_breaks_while_it_is_asked(small: Path) -> None:
    store = Store(small)
    for file in (small / "boots").glob("*/*.parquet"):
        file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(StoreError) as broken:
        list(store.query("SELECT max(dur_us) FROM boots"))
    assert broken.value.status == 3


@pytest.mark.parametrize("statement", ["SELEC", "SELECT none FROM boots", "SELECT * FROM none", "SELECT 'a'::INT", "", "  "])
def test_a_wrong_statement_is_a_usage_error(small: Path, statement: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert sql_command.main([str(small), statement]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert "\\n" not in captured.err


def test_the_lines_of_an_error_stay_lines(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sql_command.main([str(small), "SELECT 1\nFROM boots\nWHERE \x1b[2J"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 1
    assert all(line == "" or line.startswith("  ") for line in lines[1:])
    assert not any("\x1b" in line for line in lines)


@pytest.mark.parametrize("module", [FLEET, SQL])
def test_a_full_disk_is_an_output_error(module: str, small: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = run(module, small, "SELECT 1" if module == SQL else "overview", stdout=full)
    finally:
        os.close(full)
    assert (done.returncode, done.stderr) == (4, b"error: can't write to standard output: No space left on device\n")


def test_a_reader_that_has_gone_does_not_pass_the_gate(tmp_path: Path) -> None:
    store = tmp_path / "store"
    write(store, [Boot(1_000_000 + 500_000 * (n >= 60) + n, build=f"b{n // 5:02}") for n in range(120)])
    end, gone = os.pipe()
    os.close(end)
    done = run(FLEET, store, "changes", "--fail-on-regression", stdout=gone)
    os.close(gone)
    assert done.returncode == 1, done.stderr


@pytest.mark.parametrize("module", [FLEET, SQL])
def test_an_argument_that_is_not_text(module: str, small: Path) -> None:
    done = run(module, small, b"\xff")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")


def test_a_locale_without_the_character(small: Path) -> None:
    done = run(SQL, small, "SELECT chr(8364) AS euro", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert b"\\u20ac" in done.stdout


def test_an_output_needs_a_name(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([str(small), "overview", "-o", ""]) == 2
    assert capsys.readouterr().err.startswith("error: `-o` has an empty name\n")


def test_names_with_line_breaks_stay_in_their_row(small: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert sql_command.main([str(small), "SELECT 'a' || chr(13) || 'b' AS hostile, 1 AS one", "--csv"]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert out == 'hostile,one\r\n"a\rb",1\r\n'
    assert list(csv.reader(io.StringIO(out, newline=""))) == [["hostile", "one"], ["a\rb", "1"]]


def test_instants_are_of_utc(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    statement = "SELECT TIMESTAMP '2026-01-31 10:00:00', TIMESTAMPTZ '2026-01-31 10:00:00+02'"
    assert sql_command.main([str(small), statement, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [["2026-01-31T10:00:00Z", "2026-01-31T08:00:00Z"]]


def test_the_gate_says_that_builds_are_too_few(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([str(small), "changes", "--fail-on-regression"]) == 3
    assert "gate `regression` is inconclusive: Too few builds to judge: 4; a change takes 6" in capsys.readouterr().err


def test_the_gate_says_what_it_does_not_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    boots = [Boot(1_000_000 + n, build=f"b{n % 12:02}", board="long") for n in range(36)]
    boots += [Boot(1_000_000 + n, build=f"b{n % 3:02}", board="short") for n in range(9)]
    write(tmp_path / "store", boots)
    assert command.main([str(tmp_path / "store"), "changes", "--fail-on-regression"]) == 0
    assert capsys.readouterr().err == "warning: gate `regression` does not judge 1 of 2 series of whole boots: they have too few builds\n"
