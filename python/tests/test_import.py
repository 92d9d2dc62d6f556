# SPDX-License-Identifier: MIT OR Apache-2.0
"""`import bootline` is quick, since it imports little; what is heavy comes with what needs it."""

import subprocess
import sys

HEAVY = {"asyncio", "duckdb", "labgrid", "numpy", "pandas", "polars", "pyarrow", "pyspark", "pytest", "subprocess", "typing_extensions"}


def test_little_is_imported() -> None:
    code = "import sys; before = set(sys.modules); import bootline; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-X", "importtime", "-I", "-c", code], check=True, capture_output=True, text=True)
    imported = done.stdout.split()
    assert "bootline._bootline" in imported
    assert {name.partition(".")[0] for name in imported} & HEAVY == set()
    assert {name.partition(".")[0] for name in imported} - set(sys.stdlib_module_names) == {"bootline"}
    # What it takes is for Python's own modules and the compiled one: bounded here by their number, not by this machine's speed.
    assert len(imported) < 80, imported
    assert "bootline._bootline" in done.stderr
