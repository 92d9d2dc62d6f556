# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a handful of values can support: the statistics of `bootline compare`.

>>> change_points([[10.0, 10.1, 9.9, 10.0] * 10 + [12.0, 12.1, 11.9, 12.0] * 3])[0][0].index
40
>>> round(p_value([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]), 4)
0.0286
"""

from ._bootline import ChangePoint, change_points, difference, false_discovery, p_value

__all__ = ["ChangePoint", "change_points", "difference", "false_discovery", "p_value"]
