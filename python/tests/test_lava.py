# SPDX-License-Identifier: MIT OR Apache-2.0
"""LAVA: what its monitor finds on a console, and what bootline reads from the log of the job."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from made_up import log

import bootline


def test_the_monitor_finds_inits_start() -> None:
    (action,) = yaml.safe_load(Path("examples/ci/lava-monitor.yaml").read_text())
    (monitor,) = action["test"]["monitors"]
    text = log(400)
    # As lava_dispatcher does: between the first start and the end after it, each match of the pattern is a result.
    begun = re.search(monitor["start"], text)
    assert begun
    ended = re.search(monitor["end"], text[begun.end() :])
    assert ended
    found = [m.groupdict() for m in re.finditer(monitor["pattern"], text[begun.start() : begun.end() + ended.end()])]
    assert [monitor["fixupdict"][one["result"]] for one in found] == ["pass"]
    assert float(found[0]["measurement"]) == pytest.approx(0.608)


def test_the_jobs_log_is_a_boot(tmp_path: Path) -> None:
    lines = [{"dt": "2026-11-24T04:10:40.000000", "lvl": "info", "msg": "start: 2 boot"}]
    for n, line in enumerate(log(400).splitlines()):
        lines.append({"dt": f"2026-11-24T04:10:4{n + 1}.000000", "lvl": "target", "msg": line})
    job = tmp_path / "job.yaml"
    job.write_text("".join(f"- {json.dumps(line)}\n" for line in lines))
    boot = bootline.open(job).only()
    assert boot.usable, boot.problem
    assert boot.kernel == "6.6.0-44-amd64"
    (row,) = pa.table(bootline.tables(job)["files"]).to_pylist()
    assert (row["format"], row["status"]) == ("lava", "stored")
