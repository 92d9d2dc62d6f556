# SPDX-License-Identifier: MIT OR Apache-2.0
"""bootline from Python: why a Linux boot is slow, what would help, and what regressed.

>>> import bootline
>>> boot = bootline.open("corpus/x86-6.18-rt-9600/boot.cap").only()
>>> print(boot.time_to_init.elapsed)
25.210318 s (25.199011..25.221625 s, arrival clock)
>>> for finding in boot.findings[:1]:
...     print(finding.code, finding.cost.clock, finding.remedies[0].setting)
con003 arrival quiet
"""

from ._bootline import Table, __version__
from .boots import Boot, Boots, explain, open, predict
from .captures import Capture, capture
from .errors import BootlineError, InputError, InternalError, PortError, UsageError
from .figures import Interval
from .sets import Budget, check, compare, read_budget
from .tables import tables

__all__ = [
    "Boot",
    "BootlineError",
    "Boots",
    "Budget",
    "Capture",
    "InputError",
    "InternalError",
    "Interval",
    "PortError",
    "Table",
    "UsageError",
    "__version__",
    "capture",
    "check",
    "compare",
    "explain",
    "open",
    "predict",
    "read_budget",
    "tables",
]
