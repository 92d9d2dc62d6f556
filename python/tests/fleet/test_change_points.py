# SPDX-License-Identifier: MIT OR Apache-2.0
"""Change points in series of measured boots with injected steps and drifts, and compared with those that Otava finds."""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest
from otava.analysis import compute_change_points  # type: ignore[import-untyped]

from bootline import stats

REPOSITORY = Path(__file__).parent.parent.parent.parent
#: A boot of three and a half seconds.
US = 3.5e6


def spread() -> list[float]:
    """By how much measured boots differed from the median of their arm."""
    factors: list[float] = []
    for arm in json.loads((REPOSITORY / "docs" / "gate-rates.json").read_text()).values():
        # Best estimate and bounds of each boot.
        times = arm["time-to-marker"][::3]
        factors += [time / statistics.median(times) for time in times]
    return factors


class MeasuredBoots:
    """Draws boots; the seed makes them the same each time."""

    def __init__(self, seed: int, boots: int) -> None:
        self.random = random.Random(seed)
        self.boots = boots
        self.factors = spread()

    def level(self, builds: int, us: float, drift: float = 0.0) -> list[float]:
        """Medians of builds whose boots take so long; with a drift, each build takes longer by this share of the first."""
        return [us * (1 + drift * build) * self.median() for build in range(builds)]

    def median(self) -> float:
        return statistics.median(self.random.choice(self.factors) for _ in range(self.boots))


def places(series: Sequence[float]) -> list[int]:
    return [change.index for change in stats.change_points([series])[0]]


def otava(series: Sequence[float]) -> list[int]:
    """Otava's, by its own defaults but for the probability, which is ours."""
    found, _ = compute_change_points(list(series), window_len=50, max_pvalue=0.001, min_magnitude=0.01)
    return [change.index for change in found]


@pytest.mark.parametrize("boots", [5, 20])
def test_a_step_of_5_percent_is_found_within_5_builds(boots: int) -> None:
    measured = MeasuredBoots(seed=boots, boots=boots)
    series = [measured.level(100, US) + measured.level(5, 1.05 * US) for _ in range(200)]
    found = [any(abs(change.index - 100) <= 2 for change in changes) for changes in stats.change_points(series)]
    assert sum(found) >= 0.95 * len(series)


@pytest.mark.parametrize("boots", [1, 5, 20])
def test_at_most_one_false_alarm_in_100_flat_series_of_200_builds(boots: int) -> None:
    measured = MeasuredBoots(seed=100 + boots, boots=boots)
    series = [measured.level(200, US) for _ in range(300)]
    alarms = sum(bool(changes) for changes in stats.change_points(series))
    assert alarms <= 0.01 * len(series)


def test_a_drift_is_found_and_its_size() -> None:
    measured = MeasuredBoots(seed=3, boots=5)
    # A tenth over 100 builds.
    for changes in stats.change_points([measured.level(100, US, drift=0.001) for _ in range(50)]):
        assert changes
        assert all(change.difference > 0 for change in changes)
        grown = changes[-1].after / changes[0].before - 1
        assert 0.03 < grown < 0.12


def test_the_interval_of_a_step_contains_it() -> None:
    measured = MeasuredBoots(seed=4, boots=5)
    series = [measured.level(60, US) + measured.level(40, 1.05 * US) for _ in range(200)]
    ranges = [(c.low, c.high) for changes in stats.change_points(series) for c in changes if abs(c.index - 60) <= 2]
    assert len(ranges) >= 0.95 * len(series)
    # Its place is found in the same values, which makes a step look a little larger: 95 % becomes 90 %.
    assert sum(low <= 0.05 * US <= high for low, high in ranges) >= 0.9 * len(ranges)


def test_otavas_own_series() -> None:
    """The series with which Otava is demonstrated, from its own tests (Apache-2.0)."""
    series = json.loads((Path(__file__).parent / "series" / "tigerbeetle.json").read_text())
    theirs, ours = otava(series), places(series)
    # The two steps that everybody sees.
    assert {15, 71} <= set(theirs)
    assert {15, 71} <= set(ours)


def test_steps_are_where_otava_finds_them() -> None:
    """On series with clear steps both find the same places, within a build, and nothing else."""
    chance = random.Random(5)
    for _ in range(40):
        measured = MeasuredBoots(seed=chance.randrange(1 << 30), boots=5)
        levels = [1.0]
        while len(levels) < 4:
            # Up or down by 8 to 20 %.
            levels.append(levels[-1] * (1 + chance.choice([-1, 1]) * chance.uniform(0.08, 0.2)))
        series = [us for level in levels for us in measured.level(chance.randrange(20, 50), level * US)]
        theirs, ours = otava(series), places(series)
        assert len(ours) == 3
        assert all(any(abs(one - other) <= 1 for other in theirs) for one in ours)
