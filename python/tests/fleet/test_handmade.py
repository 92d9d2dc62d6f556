# SPDX-License-Identifier: MIT OR Apache-2.0
"""Questions over a store that is made by hand, for what boots of the corpus do not have.

Outliers with a cause, times to the application, two clocks, boots without a board."""

from __future__ import annotations

import datetime
import random
import statistics
from pathlib import Path

import pytest
from handmade_store import DAY, Boot, usual, write

from bootline.fleet.changes import Limits, ask_series, changes
from bootline.fleet.findings import findings
from bootline.fleet.outliers import outliers
from bootline.fleet.overview import overview
from bootline.fleet.population import population
from bootline.fleet.selection import Selection
from bootline.fleet.sides import compare, device
from bootline.fleet.slowest import slowest
from bootline.fleet.store import Store, UsageError
from bootline.fleet.times import times

ALL = Selection()


def test_an_outlier_and_its_cause(tmp_path: Path) -> None:
    chance = random.Random(1)
    slow_part = Boot(1_900_000, parts={"x_init": 940_000, "y_init": 20_000})
    new_part = Boot(1_500_000, parts={"x_init": 50_000, "fsck": 480_000})
    console = Boot(1_400_000, parts={"x_init": 50_000}, console_us=390_000)
    answer = outliers(write(tmp_path / "store", [*usual(chance, 30), slow_part, new_part, console]), ALL, most=10)
    assert [outlier.dur_us for outlier in answer.outliers] == [1_900_000, 1_500_000, 1_400_000]
    causes = [outlier.cause() for outlier in answer.outliers]
    assert causes[0].startswith("initcall x_init +0.890 s, ")
    assert causes[1].startswith("initcall fsck +0.480 s, ")
    assert causes[2].startswith("waits for the console +0.390 s, ")
    assert answer.found == 3


def test_a_slow_build_has_no_outliers(tmp_path: Path) -> None:
    chance = random.Random(2)
    slow = [Boot(round(chance.gauss(2e6, 2e4)), build="b1") for _ in range(10)]
    answer = outliers(write(tmp_path / "store", [*usual(chance, 30), *slow]), ALL, most=10)
    assert answer.outliers == []
    assert answer.sentence().startswith("No boot took far longer")


def test_the_time_to_the_application(tmp_path: Path) -> None:
    boots = [Boot(1_000_000, app_us=2_000_000 + 10_000 * n) for n in range(11)]
    found = {t.name: t for t in times(write(tmp_path / "store", boots), ALL, by_build=False).times if t.kind == "boot"}
    application = found["time-to-application"]
    assert (application.boots, application.least_us, application.median_us, application.greatest_us) == (
        11,
        2_000_000,
        2_050_000,
        2_100_000,
    )
    assert application.median_low_us < 2_050_000 < application.median_high_us


@pytest.mark.parametrize("middle", [1_000_000, 1_010_000, 1_019_000])
def test_medians_of_many_boots_are_closer_than_a_bucket_is_wide(tmp_path: Path, middle: int) -> None:
    """A bucket is 2 % wide: where in it the median lies must not matter."""
    chance = random.Random(5)
    boots = [Boot(round(chance.gauss(middle, 2e4)), build=f"b{n % 8}") for n in range(1600)]
    store = write(tmp_path / "store", boots)
    found = times(store, ALL, by_build=False).times[0]
    exact = statistics.median(boot.us for boot in boots)
    assert abs(found.median_us / exact - 1) < 0.001
    assert found.median_low_us < exact < found.median_high_us
    (series,) = ask_series(store, ALL, Limits())
    for point in series.points:
        of_build = statistics.median(boot.us for boot in boots if boot.build == point.build)
        assert abs(point.median_us / of_build - 1) < 0.004


def test_medians_of_few_boots_are_exact(tmp_path: Path) -> None:
    boots = [Boot(us) for us in (1_000_000, 1_100_000, 1_300_000, 1_700_000, 2_500_000)]
    assert times(write(tmp_path / "store", boots), ALL, by_build=False).times[0].median_us == 1_300_000


def test_medians_of_an_even_number_of_boots_lie_in_the_middle(tmp_path: Path) -> None:
    # One of the boots has no y_init: it took no time for it.
    boots = [Boot(10_000_000, parts={"x_init": 1_000_000}), Boot(20_000_000, parts={"x_init": 2_000_000, "y_init": 3_000_000})]
    boots += [Boot(1_000_000, build="b1", parts={"x_init": 1})]
    store = write(tmp_path / "store", boots)
    first = Selection(build="b0")
    assert [t.median_us for t in times(store, first, by_build=False).times] == [15_000_000]
    assert {p.name: p.median_us for p in slowest(store, first, None, 9).parts} == {"x_init": 1_500_000, "y_init": 3_000_000}
    medians = {series.name: series.values()[0] for series in ask_series(store, ALL, Limits())}
    assert medians == {"time-to-init": 15_000_000, "x_init": 1_500_000, "y_init": 1_500_000}
    store.choose_boots([(1, "a", "b0", None, DAY)])
    longer = store.ask("parts_of_boots", since=DAY, until=DAY, all_since=DAY, all_until=DAY)
    assert {row["name"]: row["median_us"] for row in longer} == {"x_init": 1_500_000, "y_init": 1_500_000}


def test_clocks_are_never_pooled(tmp_path: Path) -> None:
    chance = random.Random(3)
    # By the kernel's clock all is as before; there are more boots by the other one.
    boots = []
    for n in range(20):
        boots += [Boot(round(chance.gauss(1e6, 1e3)), build=f"b{n:02}") for _ in range(5)]
        boots += [Boot(round(chance.gauss(3e6, 1e3)), build=f"b{n:02}", clock="arrival") for _ in range(n)]
    store = write(tmp_path / "store", boots)
    assert changes(store, ALL, Limits()).changes == []
    assert {(t.clock, round(t.median_us / 1e6)) for t in times(store, ALL, by_build=False).times} == {("kernel", 1), ("arrival", 3)}
    assert {c.clock: c.boots for c in overview(store, ALL, most=5).clocks} == {"kernel": 100, "arrival": 190}


@pytest.mark.parametrize("board", [None, "", "a'b"])
def test_boards_of_any_name(tmp_path: Path, board: str | None) -> None:
    chance = random.Random(4)
    boots = []
    for n in range(20):
        us = 50_000 if n < 12 else 250_000
        boots += [Boot(round(chance.gauss(1e6, 1e3)) + us, build=f"b{n:02}", board=board, parts={"x_init": us}) for _ in range(5)]
    store = write(tmp_path / "store", boots)
    (change,) = changes(store, ALL, Limits()).changes
    assert (change.board, change.since_build) == (board, "b12")
    assert [part.name for part in change.parts] == ["x_init"]
    assert outliers(store, ALL, most=5).outliers == []


def test_boards_are_compared_apart_unless_both_sides_name_one(tmp_path: Path) -> None:
    chance = random.Random(6)
    boots = []
    for board, us in (("a", 1_000_000), ("b", 3_000_000)):
        for build in ("b0", "b1"):
            boots += [Boot(round(chance.gauss(us, 1e3)), build=build, board=board) for _ in range(10)]
    store = write(tmp_path / "store", boots)
    # The other side's boots of b would make a faster.
    one = compare(store, population("build=b0,board=a"), population("build=b1"), 1000.0)
    assert [(d.board, d.verdict) for d in one.differences if d.kind == "boot"] == [("a", "same")]
    both = compare(store, population("board=a"), population("board=b"), 1000.0)
    assert [(d.board, d.verdict) for d in both.differences if d.kind == "boot"] == [(None, "slower")]


def test_an_empty_name_is_not_an_unknown_one(tmp_path: Path) -> None:
    chance = random.Random(11)
    boots = []
    for n in range(20):
        for board in ("", None):
            us = 250_000 if board == "" and n >= 12 else 50_000
            whole = round(chance.gauss(1e6, 1e3)) + us
            boots += [Boot(whole + i, build=f"b{n:02}", board=board, parts={"x_init": us}, findings=[("R1", us, "r", 1)]) for i in range(3)]
    boots.append(Boot(2_000_000, build="b00", board=None, parts={"x_init": 800_000}))
    store = write(tmp_path / "store", boots)
    found = changes(store, ALL, Limits()).changes
    assert [(change.board, [part.name for part in change.parts]) for change in found] == [("", ["x_init"])]
    assert sorted((f.board is None, f.boots, f.of_boots) for f in findings(store, ALL).findings) == [(False, 60, 60), (True, 60, 61)]
    slow = outliers(store, ALL, most=9)
    assert [(outlier.board, outlier.cause().split(" s, ")[0]) for outlier in slow.outliers] == [(None, "initcall x_init +0.750")]


def test_devices_of_the_same_name_on_two_boards(tmp_path: Path) -> None:
    chance = random.Random(7)
    boots = []
    for n in range(20):
        boots += [Boot(round(chance.gauss(1e6, 1e3)), board="a", device="1", date=DAY + datetime.timedelta(n))]
        boots += [Boot(round(chance.gauss(3e6, 1e3)), board=None, device="1", date=DAY + datetime.timedelta(n % 5))]
    store = write(tmp_path / "store", boots)
    with pytest.raises(UsageError, match="device `1` is on several boards: unknown, a") as refused:
        device(store, "1", 5, 1000.0)
    assert refused.value.hint == "add `--board`"
    answer = device(store, "1", 5, 1000.0, board="a")
    assert (answer.base_boots, answer.new_boots) == (15, 5)
    assert [d.verdict for d in answer.differences if d.kind == "boot"] == ["same"]


@pytest.mark.parametrize("folder", ["board=x/build=y", "a*b/c?d", "[ab]", "it's {a,b}", "plain"])
def test_folders_above_the_store_say_nothing(tmp_path: Path, folder: str) -> None:
    made = write(tmp_path / folder / "store", [Boot(1_000_000), Boot(1_000_000, board="b", build="b1")])
    assert {(row["board"], row["build"]) for row in made.sql("SELECT board, build FROM boots")} == {("a", "b0"), ("b", "b1")}
    # As a pattern the path would name this one, too.
    other = tmp_path / folder.replace("*", "x").replace("?", "x").replace("[ab]", "a") / "store"
    if not other.exists():
        write(other, [Boot(1)])
    assert len(Store(tmp_path / folder / "store").sql("SELECT * FROM boots")) == 2


def test_a_part_that_is_the_only_long_one_of_its_kind(tmp_path: Path) -> None:
    chance = random.Random(8)
    boots = []
    for n in range(20):
        parts = {"short_init": 100} | ({"long_init": 200_000} if n < 12 else {})
        boots += [Boot(round(chance.gauss(1e6, 1e3)) + sum(parts.values()), build=f"b{n:02}", parts=parts) for _ in range(5)]
    (change,) = changes(write(tmp_path / "store", boots), ALL, Limits()).changes
    assert change.since_build == "b12"
    assert [(part.name, part.since_build) for part in change.parts] == [("long_init", "b12")]


def test_an_outlier_of_boots_of_which_few_show_initcalls(tmp_path: Path) -> None:
    chance = random.Random(9)
    silent = [Boot(round(chance.gauss(1e6, 1e4))) for _ in range(30)]
    # All that show it take as long: it is no cause.
    slow = Boot(2_000_000, parts={"x_init": 500_000})
    answer = outliers(write(tmp_path / "store", [*silent, Boot(1_000_000, parts={"x_init": 500_000}), slow]), ALL, most=5)
    assert [outlier.cause() for outlier in answer.outliers] == ["nothing that the log shows"]


def test_an_outlier_is_compared_with_the_selected_days(tmp_path: Path) -> None:
    chance = random.Random(10)
    before = [Boot(1_500_000, parts={"x_init": 550_000}, date=DAY) for _ in range(100)]
    after = usual(chance, 30, date=DAY + datetime.timedelta(5))
    slow = Boot(1_500_000, parts={"x_init": 550_000, "y_init": 20_000}, date=DAY + datetime.timedelta(5))
    answer = outliers(write(tmp_path / "store", [*before, *after, slow]), Selection(since=DAY + datetime.timedelta(1)), most=5)
    assert [outlier.cause().split(" s, ")[0] for outlier in answer.outliers] == ["initcall x_init +0.500"]


def test_the_remedy_is_the_one_that_saves_most(tmp_path: Path) -> None:
    boots = [Boot(1_000_000, findings=[("R1", 100_000, "a little", 1_000)]) for _ in range(3)]
    boots += [Boot(1_000_000, findings=[("R1", 100_000, "much", 90_000)])]
    (found,) = findings(write(tmp_path / "store", boots), ALL).findings
    assert (found.remedy, found.saves_us) == ("much", 93_000)


def test_an_interval_says_when_it_is_not_of_95_percent(tmp_path: Path) -> None:
    boots = [Boot(us, build=build) for build, us in (("b0", 1_000_000), ("b0", 1_010_000), ("b1", 1_500_000), ("b1", 1_520_000))]
    answer = compare(write(tmp_path / "store", boots), population("build=b0"), population("build=b1"), 1000.0)
    (boot,) = [d for d in answer.differences if d.kind == "boot"]
    assert 0 < boot.difference_us.confidence < 0.95
    assert boot.difference_us.interval().endswith(f" ({100 * boot.difference_us.confidence:.0f} %)")


def test_chosen_boots_are_counted(tmp_path: Path) -> None:
    boots = [Boot(1_000_000 + n, build=f"b{n % 2}", device=f"d{n % 2}") for n in range(500)]
    answer = compare(write(tmp_path / "store", boots), population("device=d0"), population("device=d1"), 1000.0)
    assert answer.notes(0)[0].startswith("200 of 250 boots of `device=d0`, 200 of 250 boots of `device=d1`.")


def test_a_column_is_given_once() -> None:
    with pytest.raises(UsageError, match="`build` is given twice"):
        population("build=a,build=b")
