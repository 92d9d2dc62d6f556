# SPDX-License-Identifier: MIT OR Apache-2.0
"""Questions over a store of boots (docs/store.md): where the time goes in a fleet, and since which build.

The questions are plain SQL (`questions/`), run here by DuckDB; what they find is judged by the statistics of `bootline compare`.
"""

from .store import Store, StoreError

__all__ = ["Store", "StoreError"]
