# SPDX-License-Identifier: MIT OR Apache-2.0
"""A series of medians with its levels, as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..._bootline import html_text
from ..document import SeriesChart
from ..figures import seconds

WIDTH, HEIGHT = 1000, 180
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 10, 24


def series_chart(chart: SeriesChart) -> str:
    """The chart with its caption. The axis of time does not start at zero."""
    values = [value for value in chart.values_us if math.isfinite(value)]
    low, high = min(values), max(values)
    margin = (high - low) * 0.08 or 1.0
    ticks = axis_ticks(max(0.0, low - margin), high + margin)
    low, high = min(ticks[0], low), max(ticks[-1], high)
    last = max(1, len(chart.labels) - 1)

    def x(place: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * place / last, 1)

    def y(us: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - us) / (high - low), 1)

    parts = []
    for tick in ticks:
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick)}" y2="{y(tick)}"/>')
        parts.append(f'<text class="y" x="{LEFT - 6}" y="{y(tick) + 4}">{seconds(tick)}</text>')
    for i, level in enumerate(chart.levels):
        end = min(level.end, len(chart.labels) - 1)
        parts.append(f'<line class="level" x1="{x(level.start)}" x2="{x(end)}" y1="{y(level.value_us)}" y2="{y(level.value_us)}"/>')
        if i:
            grown = "more" if level.value_us > chart.levels[i - 1].value_us else "less"
            parts.append(f'<line class="change {grown}" x1="{x(level.start)}" x2="{x(level.start)}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
    parts += [
        f'<circle cx="{x(i)}" cy="{y(us)}" r="3"><title>{html_text(label)}: {seconds(us)} s</title></circle>'
        for i, (label, us) in enumerate(zip(chart.labels, chart.values_us, strict=True))
    ]
    parts += x_labels(chart, x)
    title = html_text(chart.title)
    picture = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">{"".join(parts)}</svg>'
    return f'<figure class="series" tabindex="0"><figcaption>{title}</figcaption>\n{picture}</figure>\n'


def x_labels(chart: SeriesChart, x: Callable[[float], float]) -> list[str]:
    """The first and last build, and those with which the level changed, where there is room."""
    width = 7.2
    wanted = [0, len(chart.labels) - 1, *(level.start for level in chart.levels[1:])]
    taken: list[tuple[float, float]] = []
    found = []
    # What changed is named first.
    for place in sorted(set(wanted), key=lambda p: p in (0, len(chart.labels) - 1)):
        label = chart.labels[place]
        label = label if len(label) <= 24 else label[:11] + "…" + label[-12:]
        half = len(label) * width / 2
        middle = min(max(x(place), LEFT + half), WIDTH - RIGHT - half)
        if all(middle + half < start or middle - half > end for start, end in taken):
            taken.append((middle - half, middle + half))
            found.append(f'<text class="x" x="{round(middle, 1)}" y="{HEIGHT - 6}">{html_text(label)}</text>')
    return found


def axis_ticks(low: float, high: float) -> list[float]:
    """Round figures that enclose a range.

    >>> axis_ticks(3.3e6, 3.8e6)
    [3200000.0, 3400000.0, 3600000.0, 3800000.0]
    """
    step = 10.0 ** math.floor(math.log10((high - low) or 1.0))
    for factor in (0.2, 0.5, 1, 2, 5):
        if (high - low) / (step * factor) <= 4:
            step *= factor
            break
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(n * step, 6) for n in range(first, last + 1)]
