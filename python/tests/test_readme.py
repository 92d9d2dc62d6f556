# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the README shows of the package runs."""

import re
from pathlib import Path

import pandas as pd
import pytest

import bootline


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", Path("README.md").read_text(), re.DOTALL)
    exec(example.replace("boot.cap", "corpus/x86-6.18-rt-9600-initcall/boot.cap"), {"bootline": bootline, "pandas": pd})
    assert "console lock" in capsys.readouterr().out
