# SPDX-License-Identifier: MIT OR Apache-2.0
"""From rows to series to changes: parts that come and go, families of series, what belongs to what."""

from __future__ import annotations

import random
from typing import Any

from bootline.fleet.changes import Change, Limits, all_changes, main_part, without_echoes
from bootline.fleet.series import Point, Series, series_of

LIMITS = Limits()


def rows(kind: str, name: str | None, places: dict[int, float], board: str | None = "a", clock: str = "kernel") -> list[dict[str, Any]]:
    return [
        {
            "board": board,
            "branch": None,
            "clock": clock,
            "kind": kind,
            "name": name,
            "place": place,
            "build": f"b{place}",
            "boots": 5,
            "median_us": us,
        }
        for place, us in places.items()
    ]


def series(kind: str, name: str, values: list[float], board: str = "a", clock: str = "kernel") -> Series:
    return Series(board, None, clock, kind, name, tuple(Point(f"b{i}", 5, us) for i, us in enumerate(values)))


def level(chance: random.Random, builds: int, us: float) -> list[float]:
    return [us * chance.gauss(1, 0.005) for _ in range(builds)]


def test_a_part_that_is_not_there_took_no_time() -> None:
    builds = dict.fromkeys(range(10), 0.0)
    found = series_of(rows("boot", None, builds) + rows("initcall", None, builds) + rows("initcall", "new_init", {8: 5e3, 9: 6e3}))
    assert [(one.name, one.values()) for one in found] == [("new_init", [0.0] * 8 + [5e3, 6e3])]


def test_without_initcall_debug_no_initcall_is_missing() -> None:
    boots, initcalls = dict.fromkeys(range(10), 0.0), dict.fromkeys(range(4, 10), 0.0)
    found = series_of(rows("boot", None, boots) + rows("initcall", None, initcalls) + rows("initcall", "x_init", {5: 5e3, 9: 6e3}))
    assert [point.build for point in found[0].points] == ["b4", "b5", "b6", "b7", "b8", "b9"]


def test_a_boot_without_a_gap_has_one_of_no_length() -> None:
    builds = dict.fromkeys(range(6), 0.0)
    found = series_of(rows("boot", None, builds) + rows("gap", None, {5: 0.0}) + rows("gap", "after: x", {5: 2e5}))
    assert found[0].values() == [0.0] * 5 + [2e5]


def test_boards_and_clocks_are_series_of_their_own() -> None:
    boots = rows("boot", "time-to-init", {0: 1e6, 1: 1e6})
    other = rows("boot", "time-to-init", {0: 2e6, 1: 2e6}, clock="arrival") + rows("boot", "time-to-init", {0: 3e6}, board=None)
    assert [(one.board, one.clock, len(one.points)) for one in series_of(boots + other)] == [
        ("a", "kernel", 2),
        ("a", "arrival", 2),
        (None, "kernel", 1),
    ]


def test_a_regression_that_was_undone_is_none() -> None:
    chance = random.Random(1)
    values = level(chance, 30, 1e6) + level(chance, 10, 1.2e6) + level(chance, 30, 1e6)
    answer = all_changes([series("boot", "time-to-init", values)], LIMITS)
    up, down = sorted(answer.changes, key=lambda change: -change.difference_us.best)
    assert (up.since_build, up.undone_by, up.is_regression) == ("b30", "b40", False)
    assert (down.since_build, down.is_regression) == ("b40", False)
    assert answer.sentence().startswith("Nothing regressed")


def test_half_undone_is_still_a_regression() -> None:
    chance = random.Random(2)
    values = level(chance, 30, 1e6) + level(chance, 10, 1.4e6) + level(chance, 30, 1.2e6)
    answer = all_changes([series("boot", "time-to-init", values)], LIMITS)
    assert [change.since_build for change in answer.regressions()] == ["b30"]


def test_a_new_part_belongs_to_the_boot_that_grew_with_it() -> None:
    chance = random.Random(3)
    boot = series("boot", "time-to-init", level(chance, 30, 1e6) + level(chance, 8, 1.1e6))
    part = series("initcall", "new_init", [0.0] * 30 + level(chance, 8, 1e5))
    stage = series("stage", "kernel", level(chance, 30, 9e5) + level(chance, 8, 1e6))
    # It grew, too, but on another board.
    other = series("initcall", "old_init", level(chance, 30, 1e5) + level(chance, 8, 2e5), board="b")
    answer = all_changes([boot, stage, part, other], LIMITS)
    change = answer.changes[0]
    assert {(p.kind, p.name) for p in change.parts} == {("initcall", "new_init"), ("stage", "kernel")}
    cause = main_part(change)
    assert cause is not None
    assert cause.name == "new_init"
    assert [c.name for c in answer.changes[1:]] == ["old_init"]
    assert "largest part: initcall new_init +0.10" in answer.sentence()


def test_many_flat_parts_give_no_change() -> None:
    """A fleet has thousands of series: what is reported is corrected for their number."""
    chance = random.Random(4)
    flat = [series("initcall", f"init_{n}", level(chance, 60, 1e6)) for n in range(1000)]
    assert all_changes(flat, LIMITS).changes == []


def test_a_step_among_many_flat_parts_is_found() -> None:
    chance = random.Random(5)
    flat = [series("initcall", f"init_{n}", level(chance, 60, 1e6)) for n in range(300)]
    step = series("initcall", "slow_init", level(chance, 54, 1e6) + level(chance, 6, 1.05e6))
    assert [change.name for change in all_changes([*flat, step], LIMITS).changes] == ["slow_init"]


def test_too_few_builds_are_said() -> None:
    answer = all_changes([series("boot", "time-to-init", [1e6] * 5)], LIMITS)
    assert answer.sentence() == "Too few builds to judge: 5; a change takes 6 to show."
    assert all_changes([], LIMITS).sentence() == "No builds to compare: the boots name none."


def test_a_gap_in_an_initcall_is_shown_once() -> None:
    chance = random.Random(6)
    values = level(chance, 30, 1e5) + level(chance, 10, 2e5)
    answer = all_changes([series("initcall", "x_init", values), series("gap", "after: calling x_init", values)], LIMITS)
    assert {change.kind for change in answer.changes} == {"initcall", "gap"}
    shown: list[Change] = without_echoes(answer.changes)
    assert [change.kind for change in shown] == ["initcall"]
