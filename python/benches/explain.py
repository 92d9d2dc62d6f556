# SPDX-License-Identifier: MIT OR Apache-2.0
"""How fast `bootline.explain` is, compared with `bootline explain --json` on the same files: processor time, interleaved. Figures for this
machine, never asserted.

    explain.py COMMAND FOLDER     the command, and the folder with the release build of the package
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path

ROUNDS = 5
# Both read all files so often: the start of a process is to cost little of it.
REPEATED = 40
PYTHON = f"""
import sys, bootline
for _ in range({REPEATED}):
    for path in sys.argv[1:]:
        bootline.explain(path)
"""


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """Processor time that a process takes."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 3):
        raise SystemExit(f"{command[0]} ended with status {child.returncode}")
    return used.ru_utime + used.ru_stime


def main() -> None:
    command, package = sys.argv[1:]
    files = [str(path) for path in sorted(Path("corpus").glob("*/boot.cap"))]
    with_package = {**os.environ, "PYTHONPATH": package}
    by_command, by_python, imports = [], [], []
    for _ in range(ROUNDS):
        by_command.append(seconds([command, "explain", "--json", *files * REPEATED], {**os.environ}))
        by_python.append(seconds([sys.executable, "-c", PYTHON, *files], with_package))
        bare, imported = (seconds([sys.executable, "-c", code], with_package) for code in ("import json", "import bootline"))
        imports.append(imported - bare)
    ratio = statistics.median(c / p for c, p in zip(by_command, by_python, strict=True))
    size = REPEATED * sum(os.path.getsize(path) for path in files) / 1e6
    print(f"explain of {len(files)} captures, {size:.1f} MB: command {statistics.median(by_command):.2f} s, ", end="")
    print(f"Python {statistics.median(by_python):.2f} s of processor time: {ratio:.0%} of its throughput")
    print(f"import bootline: {statistics.median(imports) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
