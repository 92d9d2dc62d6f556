# SPDX-License-Identifier: MIT OR Apache-2.0
"""Boots of one distribution are told apart as rarely as chance allows, and a real change is found: by boots, and by rollups."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from handmade_store import Boot, write

from bootline.fleet.population import MOST_BOOTS, population, rollup_parameters
from bootline.fleet.sides import SIGNIFICANT, Difference, compare, differences
from bootline.fleet.store import Store

#: How long a part takes: 10 s, and how much boots differ in it. A bucket of a rollup is 200 ms wide there.
LEVEL, NARROW, WIDE = 10_000_000, 50_000, 500_000
LEAST_US = 1000.0


def builds(chance: random.Random, each: int, parts: dict[str, Callable[[int], float]]) -> list[Boot]:
    """So many boots of the builds 0 and 1; what a part takes is drawn for the build."""
    return [
        Boot(round(chance.gauss(LEVEL, NARROW)), build=f"b{build}", parts={name: round(draw(build)) for name, draw in parts.items()})
        for build in (0, 1)
        for _ in range(each)
    ]


def many(chance: random.Random, n: int, deviation: float, slower_by: float) -> dict[str, Callable[[int], float]]:
    """Parts whose level lies anywhere in a bucket."""

    def part() -> Callable[[int], float]:
        level = LEVEL * chance.uniform(1, 1.02)
        return lambda build: chance.gauss(level + build * slower_by, deviation)

    return {f"x{i}": part() for i in range(n)}


def of_parts(store: Store) -> list[Difference]:
    """Each part by itself, by the rollups: p values are not corrected for the number of parts."""
    sides = rollup_parameters(population("build=b0"), population("build=b1"))
    rows = [row for row in store.ask("sides_of_rollups", by_board=True, least_us=LEAST_US, **sides) if row["kind"] != "boot"]
    return [d for name in {row["name"] for row in rows} for d in differences([row for row in rows if row["name"] == name], LEAST_US)]


def test_few_boots_are_compared_by_what_they_took(tmp_path: Path) -> None:
    """Within a bucket, where rollups tell nothing apart."""
    chance = random.Random(1)
    parts = many(chance, 60, NARROW, 0) | {"slower_init": lambda build: chance.gauss(LEVEL + build * 100_000, NARROW)}
    answer = compare(write(tmp_path / "store", builds(chance, 20, parts)), population("build=b0"), population("build=b1"), LEAST_US)
    assert (answer.base_compared, answer.new_compared, len(answer.differences)) == (20, 20, 62)
    (found,) = [d for d in answer.differences if d.verdict != "same"]
    assert (found.name, found.verdict) == ("slower_init", "slower")
    assert 0 < found.difference_us.low < 100_000 < found.difference_us.high < 200_000


@pytest.mark.parametrize("each", [20, MOST_BOOTS])
@pytest.mark.parametrize("deviation", [NARROW, WIDE])
def test_rollups_tell_no_more_apart_than_chance_allows(tmp_path: Path, each: int, deviation: int) -> None:
    chance, n = random.Random(2), 6000 // each
    found = of_parts(write(tmp_path / "store", builds(chance, each, many(chance, n, deviation, 0))))
    p_small = sum(d.p <= SIGNIFICANT for d in found)
    told_apart = sum(d.verdict != "same" for d in found)
    # Three deviations more than expected.
    most = n * SIGNIFICANT + 3 * (n * SIGNIFICANT * (1 - SIGNIFICANT)) ** 0.5
    assert told_apart <= p_small <= most
    if deviation == WIDE and each == 20:
        # Where values fall into many buckets the test keeps its power.
        assert p_small >= 2 * n * SIGNIFICANT - most
    assert all(d.difference_us.low <= 0 <= d.difference_us.high for d in found if d.p > SIGNIFICANT)


@pytest.mark.parametrize("each", [20, MOST_BOOTS])
@pytest.mark.parametrize("slower_by", [420_000, 1_000_000])
def test_rollups_show_a_change_of_several_buckets(tmp_path: Path, each: int, slower_by: int) -> None:
    chance, n = random.Random(3), 1000 // each
    found = of_parts(write(tmp_path / "store", builds(chance, each, many(chance, n, NARROW, slower_by))))
    assert [d.verdict for d in found] == ["slower"] * n
    assert all(d.difference_us.low < slower_by < d.difference_us.high for d in found)


def test_many_boots_are_compared_by_rollups(tmp_path: Path) -> None:
    chance = random.Random(4)
    parts = many(chance, 6, WIDE, 0) | {"slower_init": lambda build: chance.gauss(LEVEL + build * 1_000_000, WIDE)}
    boots = builds(chance, MOST_BOOTS + 10, parts)
    answer = compare(write(tmp_path / "store", boots), population("build=b0"), population("build=b1"), LEAST_US)
    assert (answer.base_compared, answer.new_compared) == (MOST_BOOTS + 10, MOST_BOOTS + 10)
    assert [(d.name, d.verdict) for d in answer.differences if d.verdict != "same"] == [("slower_init", "slower")]
    assert any("within 2 %" in note for note in answer.notes(1))


def test_many_whole_boots_that_vary_little_are_not_told_apart(tmp_path: Path) -> None:
    """Of so many, boots are in buckets, too: of 0.1 %."""
    chance = random.Random(5)
    boots = [
        Boot(round(chance.gauss(LEVEL, 3000)), build=f"b{build}", board=f"board-{board}")
        for board in range(12)
        for build in (0, 1)
        for _ in range(20)
    ]
    answer = compare(write(tmp_path / "store", boots), population("build=b0"), population("build=b1"), 100.0)
    assert [d.verdict for d in answer.differences] == ["same"] * 12
