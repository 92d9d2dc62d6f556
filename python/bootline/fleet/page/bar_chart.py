# SPDX-License-Identifier: MIT OR Apache-2.0
"""Times as bars, as inline SVG."""

from __future__ import annotations

from ..._bootline import html_text
from ..document import BarChart


def bar_chart(chart: BarChart) -> str:
    """The bars of a chart; the table after it has its figures."""
    if not chart.rows:
        return ""
    most = max(value for _, value, _ in chart.rows) or 1.0
    rows = []
    for name, value, words in chart.rows:
        width = round(100 * value / most, 2)
        rows.append(
            f'<li><span class="name">{html_text(name)}</span>'
            f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="{width}" height="10"/></svg>'
            f'<span class="value">{html_text(words)}</span></li>\n'
        )
    return f'<ul class="bars">\n{"".join(rows)}</ul>\n'
