# SPDX-License-Identifier: MIT OR Apache-2.0
"""bootline from Python: why a Linux boot is slow, and the questions of a fleet."""

from ._bootline import __version__

__all__ = ["__version__"]
