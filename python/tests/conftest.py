# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the tests share."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def in_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples name files of the repository."""
    monkeypatch.chdir(ROOT)


def program(name: str) -> Path:
    """A program of the workspace, as built for development."""
    path = ROOT / "target" / "debug" / name
    assert path.exists(), f"no {path}: make python-test builds it"
    return path


@pytest.fixture(scope="session")
def bootline_command() -> Path:
    return program("bootline")


@pytest.fixture(scope="session")
def ingest_command() -> Path:
    return program("bootline-ingest")
