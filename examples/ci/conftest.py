# SPDX-License-Identifier: MIT OR Apache-2.0
"""A pytest fixture that holds boots to a budget with bootline.

    def test_boot_time(boot_budget):
        boot_budget("boots/*.cap")

A failed limit fails the test. An inconclusive one (status 3: too few boots, an incomplete log) raises an exception of its
own, so that nobody takes it for a pass.

    pytest --boot-budget=boot-budget.toml
"""

import glob
import json
import subprocess

import pytest

FAIL, INCONCLUSIVE = 1, 3


class Inconclusive(Exception):
    """The boots cannot be judged."""


def pytest_addoption(parser):
    parser.addoption("--boot-budget", default="boot-budget.toml", help="the budget file")
    parser.addoption("--bootline", default="bootline", help="the bootline command")


@pytest.fixture
def boot_budget(request, record_property):
    """Returns a function that takes file names or patterns of captures and logs and returns the result of each limit."""

    def check(*patterns):
        runs = [name for pattern in patterns for name in sorted(glob.glob(str(pattern))) or [str(pattern)]]
        command = [
            request.config.getoption("--bootline"),
            "check",
            "--json",
            "--budget",
            request.config.getoption("--boot-budget"),
            *runs,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, FAIL, INCONCLUSIVE):
            raise RuntimeError(done.stderr)
        limits = json.loads(done.stdout)["limits"] if done.stdout else []
        for limit in limits:
            if limit["estimate"]:
                record_property(f'{limit["quantity"]} {limit["limit_kind"]}', limit["estimate"]["best"])
        if done.returncode == FAIL:
            pytest.fail(done.stderr, pytrace=False)
        if done.returncode == INCONCLUSIVE:
            raise Inconclusive(done.stderr)
        return limits

    return check
