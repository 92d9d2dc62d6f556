# SPDX-License-Identifier: MIT OR Apache-2.0
"""The notebook runs from its first cell to its last."""

import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]


# The kernel's own machinery warns of what later versions of Python drop.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The kernel of this environment, and nobody's settings.
    monkeypatch.setenv("JUPYTER_PATH", str(Path(sys.prefix) / "share/jupyter"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(ROOT / "examples/notebook/boots.ipynb", as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(ROOT / "examples/notebook")}}).execute()
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert all(outputs[1:])
    assert "6.18.15+deb13-rt-amd64" in outputs[0][0].data["text/plain"]
    assert "console-lock" in outputs[1][0].data["text/plain"]
    assert outputs[3][0].text.count(" s (") == 2
