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
    # Python's own, the package's, and no more.
    assert len(imported) < 60, imported
    # Of what takes longest the report names the module.
    assert "bootline._bootline" in done.stderr
