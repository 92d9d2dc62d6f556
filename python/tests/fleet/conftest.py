# SPDX-License-Identifier: MIT OR Apache-2.0
"""A store of multiplied real boots: one initcall is slower from a build on, another board drifts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent.parent.parent
BUILDS, BOOTS, STEP, SLOWER_BY_MS = 24, 5, 16, 1500


@pytest.fixture(scope="session")
def store(ingest_command: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two boards, a build a day."""
    folder = tmp_path_factory.mktemp("fleet")
    logs = [f"corpus/x86-6.12-38400-initcall/dmesg.kmsg=board-{name}" for name in ("a", "b")]
    multiply = [sys.executable, "scripts/multiply-boots", str(folder / "logs"), *logs, f"--builds={BUILDS}", f"--boots={BOOTS}"]
    multiply += [f"--step={STEP}:board-a:acpi_init:{SLOWER_BY_MS}", "--drift=board-b:0.004"]
    subprocess.run(multiply, check=True, cwd=REPOSITORY)
    (folder / "logs" / "lab-0" / "board-a" / "build-000" / "cut.log").write_text(
        "[    0.000000] Linux version 6.12.0\n[    0.100000] nothing more\n"
    )
    pattern = "{lab}/{board}/{build}/{job}.log"
    ingested = [str(ingest_command), str(folder / "logs"), "-o", str(folder / "store"), "--quiet", "--path-pattern", pattern]
    assert subprocess.run(ingested, check=False).returncode in (0, 3)
    return folder / "store"
