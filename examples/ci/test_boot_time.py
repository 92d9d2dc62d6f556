# SPDX-License-Identifier: MIT OR Apache-2.0
"""pytest: boots held to a budget by the plugin that comes with `pip install bootline`.

    pytest --boot-budget boot-budget.toml --junit-xml report.xml
"""

import pytest


def test_the_budget(boot_budget):
    """The limits of boot-budget.toml, with the baseline that it names."""
    boot_budget("boots/*.cap")


@pytest.mark.boot_budget("time-to-init", "3.5 s")
@pytest.mark.boot_budget("console-bytes", "40000 bytes")
def test_limits_of_its_own(boot_budget):
    boot_budget("boots/*.cap")
