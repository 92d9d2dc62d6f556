# SPDX-License-Identifier: MIT OR Apache-2.0
"""The plugin passes, fails and errors as the gate does, in sessions of pytest's own."""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from made_up import log

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def boots(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder with a fast boot, a slow one, and one that never ends."""
    for name, text in {"fast": log(100), "slow": log(900), "cut": log(100, end="Ran /init")}.items():
        (pytester.path / f"{name}.log").write_text(text)
    (pytester.path / "boot-budget.toml").write_text('[[budget]]\nof = "time-to-init"\nat_most = "0.6 s"\n')
    return pytester


def test_the_budget_of_the_project(boots: pytest.Pytester) -> None:
    boots.makepyfile("""
        def test_fast(boot_budget):
            limit, = boot_budget("fast.*")
            assert (limit.quantity, limit.outcome) == ("time-to-init", "pass")

        def test_slow(boot_budget):
            boot_budget("slow.log")

        def test_cut(boot_budget):
            boot_budget("cut.log")

        def test_one_of_them_cut(boot_budget):
            boot_budget("fast.log", "cut.log")
    """)
    result = boots.runpytest_subprocess("--junit-xml=report.xml", "-o", "junit_family=xunit1")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        ["*gate `time-to-init` failed: 1.*", "*InconclusiveError: no boot can be used*", "*InconclusiveError: 1 of 2 boots can't be used*"]
    )
    properties = [p.attrib for p in ET.parse(boots.path / "report.xml").iter("property")]
    assert properties[0]["name"] == "time-to-init at-most"
    # In nanoseconds.
    assert 300e6 < float(properties[0]["value"]) < 320e6


def test_markers_are_limits_of_their_own(boots: pytest.Pytester) -> None:
    boots.makepyfile("""
        import pytest, bootline

        @pytest.mark.boot_budget("time-to-init", "2 s")
        @pytest.mark.boot_budget("initcall:slow_init", at_most="1 s")
        def test_wide(boot_budget):
            assert [limit.quantity for limit in boot_budget("slow.log")] == ["time-to-init", "initcall:slow_init"]

        @pytest.mark.boot_budget("initcall:slow_init", "500 ms")
        def test_narrow(boot_budget):
            boot_budget(bootline.open("slow.log").only())

        @pytest.mark.boot_budget("time-to-breakfast", "1 s")
        def test_unknown(boot_budget):
            boot_budget("fast.log")
    """)
    result = boots.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*gate `initcall:slow_init` failed: 0.89*", "*`time-to-breakfast` is not a quantity*"])


def test_nothing_passes_unchecked(boots: pytest.Pytester) -> None:
    boots.makepyfile("""
        import pytest

        @pytest.mark.boot_budget("time-to-init", "2 s")
        def test_without_the_fixture():
            pass

        @pytest.mark.boot_budget("time-to-init", "2 s")
        def test_without_boots(boot_budget):
            pass
    """)
    result = boots.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(["*nothing would be checked*", "*nothing was checked*"])


def test_a_test_that_ends_before_it_gives_boots_has_one_outcome(boots: pytest.Pytester) -> None:
    boots.makepyfile("""
        import pytest

        @pytest.mark.boot_budget("time-to-init", "2 s")
        def test_skipped(boot_budget):
            pytest.skip("no board")

        @pytest.mark.boot_budget("time-to-init", "2 s")
        def test_failed(boot_budget):
            assert False, "no power"
    """)
    boots.runpytest_subprocess().assert_outcomes(skipped=1, failed=1, errors=0)


def test_the_name_of_a_file_is_no_pattern(boots: pytest.Pytester) -> None:
    (boots.path / "b[1].log").write_text(log(100))
    # What the pattern would match.
    (boots.path / "b1.log").write_text(log(900))
    boots.makepyfile("""
        def test_one(boot_budget):
            boot_budget("b[1].log")
    """)
    boots.runpytest_subprocess().assert_outcomes(passed=1)


def test_patterns_that_overlap_are_refused(boots: pytest.Pytester) -> None:
    boots.makepyfile("""
        def test_one(boot_budget):
            boot_budget("fast.*", "f*.log")
    """)
    result = boots.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*UsageError: `fast.log` is named twice*"])


def test_a_run_that_the_lab_found_invalid_is_named_and_left_out(boots: pytest.Pytester) -> None:
    # Such a run may say anything.
    for name, verdict, ms in (("valid", "valid", 100), ("lost-bytes", "invalid", 900)):
        (boots.path / "runs" / name).mkdir(parents=True)
        (boots.path / "runs" / name / "boot.cap").write_text(log(ms))
        (boots.path / "runs" / name / "truth.json").write_text(json.dumps({"verdict": {"verdict": verdict}}))
    boots.makepyfile("""
        def test_runs(boot_budget):
            boot_budget("runs")
    """)
    boots.runpytest_subprocess("--junit-xml=report.xml", "-o", "junit_family=xunit1").assert_outcomes(passed=1)
    properties = {p.attrib["name"]: p.attrib["value"] for p in ET.parse(boots.path / "report.xml").iter("property")}
    assert properties["excluded"] == "runs/lost-bytes/boot.cap: the lab found the run invalid"
    (boots.path / "runs" / "lost-bytes" / "truth.json").write_text(json.dumps({"verdict": {"verdict": "stopped"}}))
    result = boots.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*InconclusiveError: 1 of 2 boots can't be used*", "*the guest stopped before its end*"])


def test_a_baseline_and_a_marker_by_options(boots: pytest.Pytester, bootline_command: Path) -> None:
    (boots.path / "base").mkdir()
    for n in range(4):
        (boots.path / "base" / f"{n}.log").write_text(log(100 + n))
    (boots.path / "new").mkdir()
    for n in range(4):
        (boots.path / "new" / f"{n}.log").write_text(log(400 + n))
    boots.makepyfile("""
        import pytest

        @pytest.mark.boot_budget("time-to-init", increase_at_most="50 ms")
        def test_growth(boot_budget):
            boot_budget("new")
    """)
    stored = boots.path / "baseline.json"
    subprocess.run([bootline_command, "check", "--write-baseline", stored, boots.path / "base"], check=True)
    for baseline in ("base", "baseline.json"):
        result = boots.runpytest_subprocess("--boot-baseline", baseline)
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*gate `time-to-init` failed: +0.3*"])


def test_the_example_does_what_it_says(boots: pytest.Pytester, bootline_command: Path) -> None:
    shutil.copy(ROOT / "examples/ci/test_boot_time.py", boots.path)
    shutil.copy(ROOT / "examples/ci/boot-budget.toml", boots.path)
    (boots.path / "boots").mkdir()
    for n in range(4):
        (boots.path / "boots" / f"{n}.cap").write_text(log(100 + n))
    subprocess.run([bootline_command, "check", "--write-baseline", "boot-baseline.json", "boots"], check=True, cwd=boots.path)
    boots.runpytest_subprocess().assert_outcomes(passed=2)
    for n in range(4):
        (boots.path / "boots" / f"{n}.cap").write_text(log(4000 + n))
    boots.runpytest_subprocess().assert_outcomes(failed=2)
