# SPDX-License-Identifier: MIT OR Apache-2.0
"""A pytest plugin that holds boots to a budget. pytest loads it by itself where bootline is installed.

    @pytest.mark.boot_budget("time-to-init", "2 s")
    def test_boot_time(boot_budget):
        boot_budget("boots/*.cap")

The limits are those of the test's markers, else of the file that `--boot-budget` names (docs/gate.md). Each figure becomes a property of
the test in pytest's JUnit report. A limit that fails fails the test. One that is inconclusive (too few boots, an incomplete log) raises an
exception of its own, so that nobody takes it for a pass.
"""

import glob
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .boots import Boot
from .errors import BootlineError
from .sets import Budget, CheckedLimit, Input, boot_set, check, read_budget

__all__ = ["InconclusiveError"]

USUAL = "boot-budget.toml"
_PASSED = pytest.StashKey[bool]()


class InconclusiveError(BootlineError):
    """The boots can't be judged."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bootline", "budgets for Linux boots")
    group.addoption("--boot-budget", metavar="FILE", help=f"limits for tests without a marker of their own (default: {USUAL})")
    group.addoption("--boot-baseline", metavar="PATH", help="boots to compare with: a stored baseline, a capture or a folder")
    group.addoption("--boot-marker", metavar="TEXT", help="text in the record that ends the boots, instead of init's start")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "boot_budget(quantity, at_most=None, *, increase_at_most=None, runs=None): a limit for the boots that the test gives to its "
        'fixture boot_budget: ("time-to-init", "2 s"), ("initcall:ahci_pci_driver_init", increase_at_most="5 %")',
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("boot_budget") and "boot_budget" not in getattr(item, "fixturenames", ()):
        pytest.fail(
            f"{item.name} has a boot_budget marker, but does not use the fixture boot_budget: nothing would be checked", pytrace=False
        )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome: Any = yield
    if call.when == "call":
        # A test that fails or is skipped before it gives boots has said why.
        item.stash[_PASSED] = outcome.get_result().passed


def _of_marker(quantity: str, at_most: str | None = None, *, increase_at_most: str | None = None, runs: int | None = None) -> str:
    keys = {"of": quantity, "at_most": at_most, "increase_at_most": increase_at_most, "runs": runs}
    # A JSON string or number is one of TOML, too.
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items() if value is not None]
    return "\n".join(["[[budget]]", *lines, ""])


def _budget(request: pytest.FixtureRequest) -> tuple[Budget, Path]:
    """The budget, and the folder that its paths are relative to."""
    markers = list(request.node.iter_markers("boot_budget"))
    if markers:
        # The nearest marker comes first.
        text = "\n".join(_of_marker(*marker.args, **marker.kwargs) for marker in reversed(markers))
        return Budget(text, f"markers of {request.node.name}"), Path()
    path = Path(request.config.getoption("--boot-budget") or request.config.rootpath / USUAL)
    return read_budget(path), path.parent


def _expanded(given: Input) -> list[Input]:
    if isinstance(given, Boot):
        return [given]
    pattern = os.fspath(given)
    # A name may look like a pattern: `boots/b[1].cap`.
    return [pattern] if os.path.exists(pattern) else list(sorted(glob.glob(pattern)) or [pattern])


@pytest.fixture
def boot_budget(
    request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> Iterator[Callable[..., list[CheckedLimit]]]:
    """A function that takes captures, logs, folders, patterns of names, or boots, and returns what became of each limit."""
    calls = 0

    def check_boots(*given: Input) -> list[CheckedLimit]:
        nonlocal calls
        calls += 1
        budget, folder = _budget(request)
        stated = request.config.getoption("--boot-baseline")
        named = stated or (budget.baseline and str(folder / budget.baseline))
        options = {}
        if (marker := request.config.getoption("--boot-marker")) is not None:
            options["marker"] = marker
        runs = boot_set(request.node.name, [path for one in given for path in _expanded(one)], budget=budget, **options)
        if len(runs) == 0:
            why = "".join(f"\n  at: {name}: {why}" for name, why in runs.excluded[:5])
            raise InconclusiveError(f"no boot can be used{why}")
        baseline = boot_set(named, [named], budget=budget, **options) if named else None
        verdict = check(budget, runs, baseline)
        for limit in verdict.limits:
            if limit.estimate is not None:
                record_property(f"{limit.quantity} {limit.kind}", limit.estimate)
        messages = "\n".join(limit.message for limit in verdict.limits if limit.message)
        # A run that the lab itself found invalid is named, and says nothing of the boots.
        for name, why in runs.excluded:
            record_property("excluded", f"{name}: {why}")
        if verdict.outcome == "fail":
            pytest.fail(messages, pytrace=False)
        if runs.failed:
            name, why = runs.failed[0]
            messages += f"\n{len(runs.failed)} of {len(runs) + len(runs.excluded)} boots can't be used\n  at: {name}: {why}"
        if verdict.outcome == "inconclusive" or runs.failed:
            raise InconclusiveError(messages.strip())
        return verdict.limits

    yield check_boots
    passed = request.node.stash.get(_PASSED, False)
    if passed and calls == 0 and request.node.get_closest_marker("boot_budget"):
        pytest.fail(f"{request.node.name} has a boot_budget marker, but gave no boots to the fixture: nothing was checked", pytrace=False)
