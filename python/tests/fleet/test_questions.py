# SPDX-License-Identifier: MIT OR Apache-2.0
"""Questions over a store of multiplied real boots: one initcall is slower from a build on, another board drifts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bootline.fleet import command, sql_command
from bootline.fleet.store import Store

#: As the fixture `store` has them.
BUILDS, BOOTS, STEP, SLOWER_BY_MS = 24, 5, 16, 1500
#: An answer, and the exit status with it.
Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(store: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Asks by the command."""

    def asked(*words: str) -> tuple[int, str, str]:
        status = command.main([str(store), *words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return asked


def answered(ask: Ask, *words: str) -> Any:
    status, out, _ = ask(*words, "--json")
    assert status == 0
    answer = json.loads(out)
    assert answer["schema"] == f"bootline-fleet-{words[0]}/1"
    return answer


def test_the_step_is_found_with_its_build_and_its_initcall(ask: Ask) -> None:
    changes = [c for c in answered(ask, "changes")["changes"] if c["kind"] == "boot" and c["board"] == "board-a"]
    assert len(changes) == 1
    change = changes[0]
    assert abs(int(change["since_build"].removeprefix("build-")) - STEP) <= 1
    assert change["undone_by"] is None
    low, high = change["difference_us"]["low"], change["difference_us"]["high"]
    assert low <= SLOWER_BY_MS * 1000 <= high
    initcalls = [part for part in change["parts"] if part["kind"] == "initcall"]
    assert [part["name"] for part in initcalls] == ["acpi_init"]
    assert abs(initcalls[0]["difference_us"]["best"] - SLOWER_BY_MS * 1000) < 0.02 * SLOWER_BY_MS * 1000
    assert initcalls[0]["since_build"] == f"build-{STEP:03}"


def test_a_drift_is_a_regression_without_a_part_of_its_own(ask: Ask) -> None:
    changes = [c for c in answered(ask, "changes", "--board", "board-b")["changes"] if c["kind"] == "boot"]
    assert changes
    assert all(change["difference_us"]["best"] > 0 for change in changes)
    grown = changes[-1]["after_us"] / changes[0]["before_us"]
    assert 1.02 < grown < 1.02 + 0.004 * BUILDS


def test_the_gate(ask: Ask) -> None:
    status, _, err = ask("changes", "--fail-on-regression", "--board", "board-a")
    assert status == 1
    assert err.startswith("error: gate `regression` failed: board-a: time to init grew by ")
    # The step is longer ago.
    assert ask("changes", "--fail-on-regression", "--board", "board-a", "--last", "3")[0] == 0
    status, _, err = ask("changes", "--fail-on-regression", "--board", "board-a", "--until", "2026-01-03")
    assert status == 3
    assert "inconclusive: Too few builds" in err


def test_overview(ask: Ask) -> None:
    answer = answered(ask, "overview")
    assert [(c["clock"], c["boots"], c["usable"], c["builds"]) for c in answer["clocks"] if c["clock"] == "kernel"] == [
        ("kernel", 2 * BUILDS * BOOTS + 1, 2 * BUILDS * BOOTS, BUILDS)
    ]
    assert [(p["boots"], p["problem"]) for p in answer["problems"]] == [(1, "ends before init's start")]


def test_times_are_those_of_the_boots(ask: Ask, store: Path) -> None:
    answer = answered(ask, "times", "--board", "board-b")
    boots = [t for t in answer["times"] if t["kind"] == "boot"]
    assert len(boots) == 1
    exact = Store(store).sql(
        "SELECT median(dur_us) AS median, max(dur_us) AS greatest, count(*) AS n FROM boots WHERE usable AND board = 'board-b'"
    )[0]
    assert boots[0]["boots"] == exact["n"]
    assert abs(boots[0]["median_us"] / exact["median"] - 1) < 0.02
    assert boots[0]["median_low_us"] <= exact["median"] <= boots[0]["median_high_us"]
    assert abs(boots[0]["greatest_us"] / exact["greatest"] - 1) < 0.02
    by_build = answered(ask, "times", "--by-build")["times"]
    assert len([t for t in by_build if t["kind"] == "boot"]) == 2 * BUILDS


def test_slowest_parts_are_those_of_the_spans(ask: Ask, store: Path) -> None:
    parts = answered(ask, "slowest", "--kind", "initcall", "--rows", "10")["parts"]
    sums = """
        SELECT board, name, sum(greatest(dur_us - console_us, 0))::BIGINT AS us FROM spans
        WHERE kind = 'initcall' AND dur_us IS NOT NULL GROUP BY ALL ORDER BY us DESC, board, name LIMIT 10
    """
    assert [(p["board"], p["name"], p["total_us"]) for p in parts] == [(r["board"], r["name"], r["us"]) for r in Store(store).sql(sums)]


def test_findings_cost_what_they_cost_each_boot(ask: Ask, store: Path) -> None:
    found = answered(ask, "findings")["findings"]
    assert found == sorted(found, key=lambda f: -f["total_us"])
    total = Store(store).sql("SELECT sum(cost_us)::BIGINT AS us FROM findings WHERE adds_up")[0]["us"]
    assert sum(f["total_us"] for f in found) == total
    assert all(f["boots"] <= f["of_boots"] == BUILDS * BOOTS for f in found)


def test_two_builds_differ_by_the_step(ask: Ask) -> None:
    answer = answered(ask, "compare", "board=board-a,until=2026-01-15", "board=board-a,since=2026-01-18")
    boots = [d for d in answer["differences"] if d["kind"] == "boot"]
    assert [d["verdict"] for d in boots] == ["slower"]
    assert abs(boots[0]["difference_us"]["best"] / (SLOWER_BY_MS * 1000) - 1) < 0.2
    slower = [d["name"] for d in answer["differences"] if d["kind"] == "initcall" and d["verdict"] == "slower"]
    assert slower == ["acpi_init"]


def test_populations_by_boots_and_by_rollups_agree(store: Path) -> None:
    from bootline.fleet.population import population
    from bootline.fleet.sides import compare

    # A lab is not in the rollups; all of these boots are of two labs.
    base, new = "board=board-a,until=2026-01-15", "board=board-a,since=2026-01-18"
    by_rollups = compare(Store(store), population(base), population(new), 1000.0)
    by_boots = compare(Store(store), population(f"{base},preempt_rt=false"), population(f"{new},preempt_rt=false"), 1000.0)
    assert by_boots.base_boots == by_rollups.base_boots
    one, other = by_rollups.differences[0], by_boots.differences[0]
    assert (one.kind, one.verdict) == (other.kind, other.verdict)
    assert abs(one.difference_us.best / other.difference_us.best - 1) < 0.2


def test_boards_are_not_pooled(ask: Ask) -> None:
    answer = answered(ask, "compare", "build=build-001", "build=build-020")
    assert sorted(d["board"] for d in answer["differences"] if d["kind"] == "boot") == ["board-a", "board-b"]


def test_what_two_populations_can_not_be(ask: Ask) -> None:
    status, _, err = ask("compare", "build=build-001", "board=board-a")
    assert status == 2
    assert "may have boots in common" in err
    status, _, err = ask("compare", "build=build-001", "build=none")
    assert status == 2
    assert err.startswith("error: no usable boots with `build=none`\n  hint: ")
    assert ask("compare", "colour=red", "build=none")[0] == 2


def test_a_device_against_its_own_past(ask: Ask) -> None:
    answer = answered(ask, "device", "board-a-1", "--last", str(BUILDS - STEP))
    boots = [d for d in answer["differences"] if d["kind"] == "boot"]
    assert [d["verdict"] for d in boots] == ["slower"]
    assert ask("device", "board-a-1", "--board", "board-a")[0] == 0
    assert ask("device", "board-a-1", "--board", "board-b")[0] == 2
    assert ask("device", "board-a-1", "--since", "2026-01-02")[0] == 2
    status, _, err = ask("device", "nobody")
    assert status == 2
    assert err.startswith("error: device `nobody` has 0 usable boots")


def test_the_summary_says_what_regressed_first(ask: Ask) -> None:
    status, out, _ = ask()
    assert status == 0
    assert "board-a: time to init grew by 1." in out[:300]
    assert "acpi_init" in out[:400]
    assert "What findings cost" in out


def test_the_page_is_complete_and_loads_nothing(ask: Ask, tmp_path: Path) -> None:
    page = tmp_path / "fleet.html"
    assert ask("-o", str(page))[0] == 0
    text = page.read_text()
    assert text.startswith("<!doctype html>")
    for no in (" src=", "href=", "url(", "@import", ' style="', "onclick", "http:", "https:"):
        assert no not in text
    assert text.count('<figure class="series"') >= 2
    status, _, err = ask("-o", str(page))
    assert status == 3
    assert "already exists" in err
    assert ask("-o", str(page), "--force")[0] == 0


def test_sql(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    statement = "SELECT board, count(*) AS boots, 'a' || chr(27) || '[2J' AS hostile FROM boots WHERE usable GROUP BY board ORDER BY board"
    assert sql_command.main([str(store), statement]) == 0
    out = capsys.readouterr().out
    assert "board-a    120  a\\x1b[2J" in out
    assert sql_command.main([str(store), statement, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["columns"] == ["board", "boots", "hostile"]
    assert answer["rows"] == [["board-a", 120, "a\x1b[2J"], ["board-b", 120, "a\x1b[2J"]]
    assert sql_command.main([str(store), "SELECT 1 AS one, NULL AS none", "--csv"]) == 0
    assert capsys.readouterr().out == "one,none\r\n1,\r\n"
    assert sql_command.main([str(store), "SELEC"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_what_is_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([str(tmp_path)]) == 3
    assert (
        capsys.readouterr().err
        == f"error: `{tmp_path}` is not a store: it has no `_bootline/version`\n  hint: `bootline ingest LOGS -o STORE` makes one\n"
    )
    (tmp_path / "_bootline").mkdir()
    (tmp_path / "_bootline" / "version").write_text("bootline-store/9\n")
    assert command.main([str(tmp_path)]) == 3
    assert "is a store of version `bootline-store/9`" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("changes", "--board", "nobody"), ("findings", "--build", "none"), ("--since", "2030-01-01")])
def test_a_selection_without_boots_is_no_answer(ask: Ask, words: tuple[str, ...]) -> None:
    status, out, err = ask(*words)
    assert (status, out) == (2, "")
    assert err.startswith("error: no boots ")


def test_no_more_threads_than_processors(store: Path) -> None:
    asked = Store(store, threads=999_999_999)
    assert asked.sql("SELECT current_setting('threads') AS threads") == [{"threads": os.cpu_count()}]
